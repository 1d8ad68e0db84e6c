"""Analysis of played hands: reviews and forecasts."""
