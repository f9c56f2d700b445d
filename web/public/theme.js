// Runs before the first paint, so that the wrong theme never flashes.
(() => {
  let chosen = null;
  try {
    chosen = localStorage.getItem("vedette.theme");
  } catch {
    // Storage may be blocked. The system theme is then used.
  }
  const isDark = matchMedia("(prefers-color-scheme: dark)").matches;
  const theme = chosen === "light" || chosen === "dark" ? chosen : isDark ? "dark" : "light";
  document.documentElement.dataset.theme = theme;
  document.documentElement.dataset.mantineColorScheme = theme;
})();
