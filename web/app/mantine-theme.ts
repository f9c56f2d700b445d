import {
  createTheme,
  type MantineColorScheme,
  type MantineColorSchemeManager,
} from "@mantine/core";

/** Colours come from the tokens, see `global.css`; here is only what Mantine asks in code. */
export const theme = createTheme({
  fontFamily: "var(--font)",
  fontFamilyMonospace: "var(--font-code)",
  defaultRadius: "sm",
  cursorType: "pointer",
  respectReducedMotion: true,
  components: {
    Button: { defaultProps: { size: "sm" } },
    // Locking the scroll adds a style element, which the policy of the pages forbids.
    Modal: {
      defaultProps: { transitionProps: { duration: 120 }, centered: true, lockScroll: false },
    },
    Drawer: { defaultProps: { transitionProps: { duration: 120 }, lockScroll: false } },
    Menu: { defaultProps: { transitionProps: { duration: 80 } } },
    Popover: { defaultProps: { transitionProps: { duration: 80 } } },
    Tooltip: { defaultProps: { transitionProps: { duration: 80 }, openDelay: 200 } },
  },
});

const key = "vedette.theme";
const systemIsDark = matchMedia("(prefers-color-scheme: dark)");

function readTheme(fallback: MantineColorScheme): MantineColorScheme {
  try {
    const kept = localStorage.getItem(key);
    return kept === "light" || kept === "dark" ? kept : fallback;
  } catch {
    return fallback;
  }
}

/** The tokens follow `data-theme`, which the pages of the server use too. */
function showTheme(scheme: MantineColorScheme): void {
  const isDark = scheme === "dark" || (scheme === "auto" && systemIsDark.matches);
  document.documentElement.dataset.theme = isDark ? "dark" : "light";
}

systemIsDark.addEventListener("change", () => showTheme(readTheme("auto")));

/** Keeps the choice in this browser; `public/theme.js` reads it before the first paint. */
export const themeManager: MantineColorSchemeManager = {
  get: readTheme,
  set: (scheme) => {
    try {
      localStorage.setItem(key, scheme);
    } catch {
      // Without storage the choice lasts until the page is loaded again.
    }
    showTheme(scheme);
  },
  subscribe: (onUpdate) => {
    const listener = (event: StorageEvent) => {
      if (event.key !== key) return;
      showTheme(readTheme("auto"));
      onUpdate(readTheme("auto"));
    };
    addEventListener("storage", listener);
    stopListening = () => removeEventListener("storage", listener);
  },
  unsubscribe: () => stopListening(),
  clear: () => localStorage.removeItem(key),
};

let stopListening = () => {};
