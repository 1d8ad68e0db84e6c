"""The rules of Hearts in plain Python: cards, tricks, deals, matches, records."""
