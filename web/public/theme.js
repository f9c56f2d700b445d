// Runs before the first paint, so that a chosen theme never flashes the other one.
(() => {
  let chosen = null;
  try {
    chosen = localStorage.getItem("vedette.theme");
  } catch {
    // Storage may be forbidden; then the system decides.
  }
  const isDark = matchMedia("(prefers-color-scheme: dark)").matches;
  const theme = chosen === "light" || chosen === "dark" ? chosen : isDark ? "dark" : "light";
  document.documentElement.dataset.theme = theme;
  document.documentElement.dataset.mantineColorScheme = theme;
})();
