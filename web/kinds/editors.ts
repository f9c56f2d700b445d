import type { KindEditor } from "./kind-editor.ts";

/** Editors of all check types, each loaded on demand. */
const editors: Readonly<Record<string, () => Promise<KindEditor>>> = {
  API: () => import("./api/editor-fields.tsx").then(({ editor }) => editor),
  DNS: () => import("./dns/editor-fields.tsx").then(({ editor }) => editor),
  HEARTBEAT: () => import("./heartbeat/editor-fields.tsx").then(({ editor }) => editor),
  ICMP: () => import("./icmp/editor-fields.tsx").then(({ editor }) => editor),
  SSL: () => import("./ssl/editor-fields.tsx").then(({ editor }) => editor),
  TCP: () => import("./tcp/editor-fields.tsx").then(({ editor }) => editor),
  URL: () => import("./url/editor-fields.tsx").then(({ editor }) => editor),
};

export function loadEditor(type: string): Promise<KindEditor> {
  const load = editors[type];
  if (load === undefined) return Promise.reject(new Error(`There is no editor for ${type}.`));
  return load();
}
