import { MantineProvider } from "@mantine/core";
import { type QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { Notices } from "../parts/notices.tsx";
import { theme, themeManager } from "./mantine-theme.ts";
import type { AppRouter } from "./router.tsx";

interface ApplicationProps {
  readonly queryClient: QueryClient;
  readonly router: AppRouter;
}

/** The whole application. `main.tsx` and component tests mount it. */
export function Application({ queryClient, router }: ApplicationProps) {
  return (
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
  );
}
