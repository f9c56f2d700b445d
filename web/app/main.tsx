import "virtual:tokens.css";
import "@mantine/core/styles.layer.css";
import "./global.css";
import { MantineProvider } from "@mantine/core";
import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { createQueryClient } from "../api/query-client.ts";
import { Notices } from "../parts/notices.tsx";
import { theme, themeManager } from "./mantine-theme.ts";
import { createAppRouter } from "./router.tsx";
import { returnAfterSignIn } from "./session-end.ts";

const queryClient = createQueryClient();
const router = createAppRouter(queryClient);
returnAfterSignIn(router, queryClient);

const root = document.getElementById("app");
if (root === null) throw new Error("index.html has no element for the application.");

createRoot(root).render(
  <StrictMode>
    <MantineProvider
      theme={theme}
      colorSchemeManager={themeManager}
      defaultColorScheme="auto"
      // The variables come from global.css, so Mantine needs no style tag.
      withCssVariables={false}
      withGlobalClasses={false}
    >
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
        <Notices />
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>,
);
