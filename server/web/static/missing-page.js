// A page for addresses without one: its words are in the shell.

import "./chrome.js";
