"""Several processes on one database: who is alive, who drives which table, who hears of changes."""
