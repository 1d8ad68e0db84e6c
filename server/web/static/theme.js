// Runs before the first paint, so that nobody who likes it dark is blinded first.
// A classic script on purpose: modules wait until the page has been read.
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
