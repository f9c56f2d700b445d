import {
  createTheme,
  type MantineColorScheme,
  type MantineColorSchemeManager,
  MantineProvider,
} from "@mantine/core";
import { type QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { onSecondFactorNeeded, onSessionEnd } from "../api/client.ts";
import { onListCut } from "../api/fetch-all.ts";
import { forgetSignOut, isSigningOut } from "../api/session.ts";
import { Notices, showNotice } from "../parts/notices.tsx";
import type { AppRouter } from "./router.tsx";

const words = {
  cut: (what: string, count: number) =>
    `There are more ${what} than the ${count.toLocaleString()} that can be selected here.`,
} as const;

const inputWrapperOrder = ["label", "input", "description", "error"];

/** Theme values that Mantine needs in code. The colours are in `global.css`. */
const theme = createTheme({
  fontFamily: "var(--font)",
  fontFamilyMonospace: "var(--font-code)",
  defaultRadius: "sm",
  cursorType: "pointer",
  respectReducedMotion: true,
  components: {
    // The hint is below its field, so that fields beside each other are on one line.
    NativeSelect: { defaultProps: { inputWrapperOrder } },
    NumberInput: { defaultProps: { inputWrapperOrder } },
    PasswordInput: { defaultProps: { inputWrapperOrder } },
    Select: { defaultProps: { inputWrapperOrder } },
    Textarea: { defaultProps: { inputWrapperOrder } },
    TextInput: { defaultProps: { inputWrapperOrder } },
    Button: { defaultProps: { size: "sm" } },
    // Scroll locking is off: it adds a style element, which the content security policy forbids.
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

/** Sets the `data-theme` attribute, which the style sheets and the server-rendered pages use. */
function showTheme(scheme: MantineColorScheme): void {
  const isDark = scheme === "dark" || (scheme === "auto" && systemIsDark.matches);
  document.documentElement.dataset.theme = isDark ? "dark" : "light";
}

systemIsDark.addEventListener("change", () => showTheme(readTheme("auto")));

/** Stores the selected theme in this browser. `public/theme.js` reads it before the first paint. */
const themeManager: MantineColorSchemeManager = {
  get: readTheme,
  set: (scheme) => {
    try {
      localStorage.setItem(key, scheme);
    } catch {
      // Storage is unavailable, so the selected theme lasts only until the page is reloaded.
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

interface ApplicationProps {
  readonly queryClient: QueryClient;
  readonly router: AppRouter;
}

/** Root component of the web application. `main.tsx` and component tests mount it. */
export function Application({ queryClient, router }: ApplicationProps) {
  return (
    <MantineProvider
      theme={theme}
      colorSchemeManager={themeManager}
      defaultColorScheme="auto"
      // The content security policy blocks inline style elements, so Mantine must not add one for
      // its CSS variables. The style sheets of the application define the variables instead.
      withCssVariables={false}
      withGlobalClasses={false}
    >
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
        <Notices />
      </QueryClientProvider>
    </MantineProvider>
  );
}

/**
 * Redirects to the sign-in screen when the session ends, and back to the interrupted screen after
 * the sign-in. Redirects users who must set up a second factor to the security settings. Returns a
 * function that stops the redirects.
 */
export function returnAfterSignIn(router: AppRouter, queryClient: QueryClient): () => void {
  forgetSignOut();
  let isLeaving = false;
  const leave = async () => {
    const { pathname, href } = router.state.location;
    if (pathname === "/sign-in" || !queryClient.getQueryData(["session"])) return;
    isLeaving = true;
    try {
      await router.navigate({ to: "/sign-in", search: { return: href }, replace: true });
    } finally {
      isLeaving = false;
      // The session is removed only after the navigation, because the old screen uses it until
      // then.
      queryClient.removeQueries({ queryKey: ["session"] });
    }
  };
  const stopSession = onSessionEnd(() => {
    if (!isLeaving && !isSigningOut()) void leave();
  });
  const stopFactor = onSecondFactorNeeded(() => {
    if (router.state.location.pathname === "/settings/security") return;
    void router.navigate({ to: "/settings/security", replace: true });
  });
  const stopCuts = onListCut((what, count) => showNotice({ text: words.cut(what, count) }));
  return () => {
    stopSession();
    stopFactor();
    stopCuts();
  };
}
