// Starts Swagger UI with the settings that the page carries, in the theme that theme.js has chosen.
const root = document.documentElement;
root.classList.toggle("dark-mode", root.dataset.theme === "dark");
window.ui = SwaggerUIBundle(JSON.parse(document.getElementById("config").textContent));
