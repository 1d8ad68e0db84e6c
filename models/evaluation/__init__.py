"""How good beliefs are on recorded hands: log-loss, Brier score, calibration, TSSR."""
