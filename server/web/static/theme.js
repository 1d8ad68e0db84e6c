// Sets the theme before the first paint, so that a dark page does not flash white.
// A classic script, because modules run only after the page is parsed.
(() => {
  const system = matchMedia("(prefers-color-scheme: dark)");
  const chosen = () => {
    try {
      return JSON.parse(localStorage.getItem("hearts.settings") || "{}").theme;
    } catch {
      return null; // storage is closed to us, or holds what we did not write
    }
  };
  const apply = () => {
    const theme = chosen();
    const dark = theme === "dark" || (theme !== "light" && system.matches);
    document.documentElement.dataset.theme = dark ? "dark" : "light";
  };
  system.addEventListener("change", apply);
  addEventListener("hearts:settings", apply);
  apply();
})();
