import react from "@vitejs/plugin-react";
import { defineConfig, type Plugin } from "vite";
import { writeTokenStyles } from "../src/pages/tokens.ts";

/** `import "virtual:tokens.css"` brings the tokens that the server's own pages use too. */
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
    // A file as text inside another would be refused by the content security policy.
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    chunkSizeWarningLimit: 1_000,
    manifest: true,
  },
  server: {
    port: 5173,
    proxy: Object.fromEntries(forwarded.map((path) => [path, { target: server }])),
  },
});
