"""Units of measure, Chinese and English, each with what it measures and how much of the base unit it is."""

# quantity: {spellings parted by spaces: how many base units}; longer spellings are tried first
_QUANTITIES: dict[str, dict[str, float]] = {
    "duration": {
        "ms millisecond milliseconds 毫秒": 0.001,
        "s sec secs second seconds 秒 秒钟": 1,
        "min mins minute minutes 分钟": 60,
        "h hr hrs hour hours 小时 个小时 钟头": 3600,
        "day days 天 日 自然日 个自然日 工作日 个工作日": 86400,
        "week weeks 周 星期 个星期": 604800,
    },
    "months": {"month months 个月": 1, "quarter quarters 季度 个季度": 3, "year years 年": 12},
    "percent": {"% percent": 1, "‰": 0.1},
    "points": {"point points 个点 百分点 个百分点": 1},
    "length": {
        "mm millimetre millimetres millimeter millimeters 毫米": 0.001,
        "cm centimetre centimetres centimeter centimeters 厘米": 0.01,
        "m metre metres meter meters 米": 1,
        "km kilometre kilometres kilometer kilometers 公里 千米": 1000,
    },
    "speed": {"m/s 米/秒 米每秒": 1, "km/h 公里/小时": 1 / 3.6},
    "mass": {
        "g gram grams 克": 0.001,
        "kg kilogram kilograms kilo kilos 公斤 千克": 1,
        "tonne tonnes 吨": 1000,
    },
    "data": {
        "byte bytes 字节 个字节": 1,
        "kb 千字节": 1e3,
        "kib": 1024,
        "mib": 1024**2,
        "gib": 1024**3,
        "tib": 1024**4,
        "mb megabyte megabytes 兆": 1e6,
        "gb gigabyte gigabytes": 1e9,
        "tb terabyte terabytes": 1e12,
    },
    "yuan": {"yuan rmb cny renminbi ¥ 元 块钱 人民币 元人民币": 1},
    "euro": {"euro euros eur € 欧元": 1},
    "dollar": {"dollar dollars usd $ 美元": 1},
    "voltage": {"v volt volts 伏 伏特": 1},
    "current": {"amp amps ampere amperes 安培": 1},
    "charge": {"ah 安时": 1},
    "energy": {"wh 瓦时": 1, "kwh 千瓦时 度电": 1000},
    "power": {"w watt watts 瓦": 1, "kw 千瓦": 1000},
    "temperature": {"°c ℃ 摄氏度 degrees": 1},
    "loudness": {"db 分贝": 1},
    "frequency": {"hz 赫兹": 1, "mhz": 1e6, "ghz": 1e9},
    "people": {"people persons person employees employee colleagues users engineers 人 名 位 名员工 位员工": 1},
    "characters": {"character characters char chars 字符 个字符 字 个字": 1},
    "tokens": {"token tokens 词元 个词元": 1},
    "chunks": {"chunk chunks 块 个块": 1},
    "pages": {"page pages 页": 1},
    "documents": {"document documents file files 篇 篇文档 份 个文件 个文档 份文件": 1},
    "robots": {"robot robots 台 台机器人": 1},
    "times": {"time times 次": 1},
    "factor": {"倍": 1},
    "questions": {"question questions 题 道题 个问题": 1},
    "sites": {"site sites 个站点": 1},
    "languages": {"language languages 种语言": 1},
}

UNITS: dict[str, tuple[str, float]] = {
    spelling: (quantity, factor)
    for quantity, spellings in _QUANTITIES.items()
    for together, factor in spellings.items()
    for spelling in together.split()
}
"""Spelling in lower case -> what it measures, and how many base units it is."""
