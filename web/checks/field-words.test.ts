import assert from "node:assert/strict";
import { test } from "node:test";
import { nameFields } from "./field-words.ts";

test("fields are named by labels, each once", () => {
  const fields = [
    "frequency",
    "alertSettings",
    "useGlobalAlertSettings",
    "request.hostname",
    "heartbeat",
  ];
  assert.equal(
    nameFields(fields),
    "frequency, alert settings, target and request, heartbeat schedule",
  );
  assert.equal(nameFields(["someNewField"]), "some new field");
});
