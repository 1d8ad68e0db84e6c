"""Live tables: matches that the service deals and referees."""
