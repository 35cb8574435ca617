"""The `khub` command against a service elsewhere: no store is opened here, and nothing of a hub is made."""
