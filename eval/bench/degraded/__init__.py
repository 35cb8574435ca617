"""How long a query takes in which a part of the graph fails."""
