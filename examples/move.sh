#!/usr/bin/env bash
# A move, a pass and an error, with curl. Usage: move.sh [ADDRESS]
set -euo pipefail
address=${1:-http://127.0.0.1:8080}

ask() { curl --silent --show-error "$address/api/$1" -H 'Content-Type: application/json' -d "$2"; echo; }

echo "Seat 3 has led the queen of spades. What do I play?"
ask move '{
  "game_state": {
    "player_hand": ["2C", "5C", "9C", "8D", "JH", "4S", "AS"],
    "current_trick": {"cards": [{"card": "QS", "player": 3}], "lead_player": 3},
    "rules": 2465
  },
  "ai_config": {"simulations": 1000, "seed": 1}
}'

echo "Which three cards do I pass to the left?"
ask pass '{
  "game_state": {
    "player_hand": ["2C", "5C", "9C", "QC", "3D", "8D", "KD", "4S", "QS", "2H", "6H", "9H", "AH"],
    "pass_direction": 1
  },
  "ai_config": {"explain": false}
}'

echo "What is wrong with this?"
ask move '{"game_state": {"player_hand": ["2C", "2C"]}}'
