import "virtual:tokens.css";
import "@mantine/core/styles.layer.css";
import "./global.css";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { ApiError } from "../api/api-error.ts";
import { createQueryClient } from "../api/query-client.ts";
import { Application, returnAfterSignIn } from "./application.tsx";
import { createAppRouter } from "./router.tsx";

/**
 * Replaces an invalid browser language. Chromium reports "en-US@posix" if the system has no locale,
 * and the charts pass the language to `Intl`, which would throw an error.
 */
function replaceInvalidLanguage(): void {
  try {
    Intl.getCanonicalLocales(navigator.language);
  } catch {
    Object.defineProperty(navigator, "language", { value: "en-US" });
  }
}

replaceInvalidLanguage();
const queryClient = createQueryClient();
const router = createAppRouter(queryClient);
returnAfterSignIn(router, queryClient);

const root = document.getElementById("app");
if (root === null) throw new Error("index.html has no element for the application.");

createRoot(root, {
  // An API error is already shown on the screen. Any other error is a bug, so it is reported.
  onCaughtError: (error) => {
    if (!(error instanceof ApiError)) reportError(error);
  },
}).render(
  <StrictMode>
    <Application queryClient={queryClient} router={router} />
  </StrictMode>,
);
