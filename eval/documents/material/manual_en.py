"""The manual of a machine, in English."""

from eval.documents.material.topic import Columns, Topic

TOPIC = Topic(
    name="manual",
    language="en",
    titles=(
        "Tamarind 40 Label Printer: Operator Manual", "Installing the Heron Weather Station",
        "Service Guide for the K2 Packing Line", "Quick Start and Reference for the Orbit Scale",
    ),
    sections=(
        "Safety", "What is in the box", "Setting up", "First use", "Daily operation", "Cleaning", "Trouble~shooting",
        "Technical data", "Disposal",
    ),
    subsections=(
        "Symbols", "Choosing a place", "Connecting the power", "Loading a roll", "Changing the language",
        "Calibration", "Moving the device to another room without having to calibrate it a second time",
        "Network settings", "Paper jams", "Replacing the print head", "Firmware updates", "Storing the device",
        "Resetting", "Error codes", "Transport",
    ),
    sentences=(
        "Switch the device off and wait {n} seconds before you open the cover.",
        "The print head becomes hot; let it cool down for {n} minutes.",
        "Place the device on a level surface, at least {n} centimetres from the wall.",
        "The display shows {code} as long as the lid is open.",
        "Hold the green button until the lamp blinks twice, then let go at once.",
        "Use only the power supply that came with the device; others may have the wrong polarity.",
        "An au~to~mat~ic cal~i~bra~tion takes about {n} seconds and uses up to {n} labels.",
        "If the paper is torn, remove the remains with tweezers, never with a knife.",
        "The rubber roller wears out after {money} metres of paper and is then replaced as a set.",
        "Net~work pa~ram~e~ters are kept when the device is switched off, but not when it is reset.",
        "Do not use alcohol on the window of the sensor, as it makes the plastic brittle.",
        "A beep of {n} seconds means that the memory is full and the job was dropped.",
        "The weight must not exceed {d} kilograms, the container included.",
        "After an update the device restarts by itself, which may take up to {n} minutes.",
        "Keep the packaging: the warranty covers damage in transit only in the original box.",
        "The in~cli~na~tion of the arm is set with the screw below the housing; a full turn is {d} degrees.",
        "In cold rooms the first {n} labels may be pale, since the head needs time to warm up.",
        "Cables longer than {n} metres need a repeater.",
        "The clock loses its time if the device is without power for more than {n} days.",
        "The built-in, battery-backed clock is set by radio, a state-of-the-art time-keeping method.",
        "Return used batteries to a collection point; they do not belong in household waste.",
    ),
    items=(
        "The device itself and its power supply", "A roll of {n} labels", "Cleaning cloth and tweezers",
        "This manual and the warranty card", "Four rubber feet, in a bag under the lid", "Network cable of {n} metres",
        "A test sheet, printed when the device was inspected before it left the factory, with its serial number",
        "Screws of two lengths, of which the longer ones are for walls of brick", "USB stick with the drivers",
        "Sensor window, spare",
    ),
    steps=(
        "Open the cover and push the blue lever back", "Put in the roll so that the labels come from below",
        "Pull out {n} centimetres and close the cover", "Press Feed once", "Choose the language with the arrow keys",
        "Confirm with OK and wait for the lamp", "Print a test page and compare it with the one in the box",
        "Write the serial number {code} on the warranty card",
    ),
    quotes=(
        "Warning: moving parts. Keep hair, sleeves and jewellery away from the rollers.",
        "Note: a new print head has to be calibrated, even if the first labels look right.",
        "Caution: the edge of the cutter is sharp. Touch it only with gloves.",
    ),
    notes=(
        "Not with devices made before {year}.", "Measured at a room temperature of {n} degrees.",
        "The menu is called Options in older firmware.", "Sold separately, order number {code}.",
    ),
    links=(
        ("the download page", "https://support.example.com/downloads"),
        ("video of this step", "https://support.example.com/v/load-roll"),
        ("list of service partners", "https://support.example.com/partners#europe"),
    ),
    codes=(
        ("^XA", "^FO50,50^ADN,36,20^FDPARCEL 0042^FS", "^FO50,120^BY2^BCN,80,Y,N,N^FD12345678^FS", "^XZ"),
        ("tamarind --set network.dhcp=off", "tamarind --set network.address=192.0.2.40", "tamarind --restart"),
        ("# labels.conf", "width_mm = 58", "gap_mm = 3", "darkness = 12"),
    ),
    tables=(
        Columns(
            "Technical data of the models",
            ("Weight", "Width", "Height", "Depth", "Power", "Noise", "Print speed", "Resolution", "Memory",
             "Roll width",
             "Humidity", "Temperature", "Cable length"),
            ("Property", "Unit", "Model 20", "Model 40", "Model 40 X"),
            (("kg", "mm", "W", "dB", "dpi", "%"), "decimal", "decimal", "decimal"),
            ("Office", "Industry"),
        ),
        Columns(
            "Error codes",
            ("01", "02", "05", "07", "11", "12", "18", "21", "30", "44"),
            ("Code", "Cause", "Remedy", "Lamp"),
            (
                ("The cover is open or its switch is worn", "The roll is empty", "The print head is too hot",
                 "The label is longer than the format that was chosen", "The cutter does not move", "No network"),
                ("Close the cover until it clicks", "Let the device cool down and reduce the darkness by two steps",
                 "Remove the roll, clean the sensor with the cloth, put the roll in again and calibrate",
                 "Insert a new roll", "Call the service partner", "Check the cable, then restart the switch"),
                ("red", "red, blinking", "yellow", "green and red"),
            ),
        ),
        Columns(
            "Maintenance plan",
            ("Print head", "Roller", "Cutter", "Sensor", "Fan", "Housing", "Belt", "Bearings", "Battery",
             "Cover switch"),
            ("Part", "Every (days)", "Minutes", "Tool", "Order number"),
            ("count", "count", ("cloth", "brush", "tweezers", "screwdriver", "none"), "code"),
        ),
    ),
    running=("Tamarind 40", "Operator manual · English", "Edition 3"),
)  # fmt: skip
