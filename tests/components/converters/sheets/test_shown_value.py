import datetime

import pytest

from khub.components.converters.sheets.shown_value import shown

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    ("value", "number_format", "text"),
    [
        (None, "General", ""),
        (0.1 + 0.2, "General", "0.3"),
        (3.0, "General", "3"),
        (True, "General", "TRUE"),
        (0.256, "0%", "26%"),
        (0.256, "0.00%", "25.60%"),
        (28400, "#,##0", "28,400"),
        (1234.5, "#,##0.00", "1,234.50"),
        (1234.5, "0.0##", "1234.5"),
        (-3.5, "#,##0.00;[Red](#,##0.00)", "(3.50)"),
        (0, '0.0;-0.0;"none"', "none"),
        (12.5, "[$€-407] #,##0.00", "€ 12.50"),
        (12.5, '0.0" kg"', "12.5 kg"),
        (7, "00000", "00007"),
        (1_500_000, "0.0,,", "1.5"),
        (12345, "0.00E+00", "1.23E+04"),
        (0.5, "# ?/?", "0.5"),
        (-0.001, "0.00", "0.00"),
        (datetime.datetime(2024, 5, 6), "mm-dd-yy", "2024-05-06"),
        (datetime.datetime(2024, 5, 6, 7, 8), "d/m/yy h:mm", "2024-05-06 07:08"),
        (datetime.datetime(2024, 5, 1), "mmm yyyy", "2024-05"),
        (datetime.time(9, 30), "h:mm", "09:30"),
        (datetime.timedelta(days=1, hours=12), "[h]:mm", "36:00"),
        (datetime.timedelta(hours=100, seconds=5), "[hh]:mm:ss.00", "100:00:05"),
        (datetime.timedelta(days=2), '[h]"小时"mm"分"', "48:00"),
        (datetime.timedelta(hours=-30), "[h]:mm", "-30:00"),
        (datetime.timedelta(hours=1, minutes=30, seconds=7), "[mm]:ss", "90:07"),
        (datetime.timedelta(minutes=2), "[s]", "120"),
        (datetime.datetime(1900, 1, 1, 12), "h:mm", "12:00"),
        ("  a \n b ", "@", "a b"),
        ('=DISPIMG("x",1)', "General", ""),
    ],
)
def test_values_as_shown(value, number_format, text):
    assert shown(value, number_format) == text
