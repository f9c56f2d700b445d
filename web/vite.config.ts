import react from "@vitejs/plugin-react";
import { defineConfig, type Plugin } from "vite";
import { writeTokenStyles } from "../src/pages/tokens.ts";

/** Provides the design tokens of the server-rendered pages as `virtual:tokens.css`. */
function tokenStyles(): Plugin {
  const name = "virtual:tokens.css";
  return {
    name: "vedette-tokens",
    resolveId: (id) => (id === name ? `\0${name}` : null),
    load: (id) => (id === `\0${name}` ? writeTokenStyles() : null),
  };
}

const server = process.env.VEDETTE_URL ?? "http://127.0.0.1:3000";
const forwarded = ["/v1", "/v2", "/accounts", "/status", "/docs", "/openapi.json", "/mcp"];

export default defineConfig({
  root: import.meta.dirname,
  plugins: [tokenStyles(), react()],
  build: {
    outDir: "dist",
    emptyOutDir: true,
    target: "es2023",
    modulePreload: { polyfill: false },
    // Assets are never inlined, because the content security policy blocks data URLs.
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    chunkSizeWarningLimit: 1_000,
    manifest: true,
    rolldownOptions: {
      treeshake: {
        // Marks the public interfaces of modules as free of side effects. They only re-export, so
        // importing a query does not load the components of its module.
        moduleSideEffects: [{ test: /\/web\/[^/]+\/index\.ts$/, sideEffects: false }],
      },
    },
  },
  server: {
    port: 5173,
    // Whole segments only: the modules of `web/status-pages` are not those of `/status`.
    proxy: Object.fromEntries(forwarded.map((path) => [`^${path}(?:[/?]|$)`, { target: server }])),
  },
});
