import { getList, getText } from "../../parts/fields.ts";
import type { CheckValues } from "../form-values.ts";
import { countOf } from "../sentences.ts";

type Values = Omit<CheckValues<"MULTI_STEP">, "checkType">;

export function describeScript(values: Values): string[] {
  const lines = getText(values, "script").trimEnd().split("\n");
  const isEmpty = lines.every((line) => line === "");
  const files = getList(values, "dependencies").length;
  const beside = files === 0 ? "" : ` with ${countOf(files, "file")}`;
  const runtime = getText(values, "runtimeId");
  return [
    isEmpty
      ? "Runs a script, which is still empty."
      : `Runs a script of ${countOf(lines.length, "line")}${beside} in a sandbox.`,
    "It fails if the script throws an error, a test fails, or it takes longer than 4 minutes.",
    ...(runtime === "" ? [] : [`It uses the runtime ${runtime}.`]),
  ];
}
