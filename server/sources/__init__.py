"""Collections that follow sources beside folders: what is there comes in, what has gone goes, again and again."""
