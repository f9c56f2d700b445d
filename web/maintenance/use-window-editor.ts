import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { ApiError } from "../api/api-error.ts";
import { api, sendFull } from "../api/client.ts";
import { isNews } from "../checks/editor/changes.ts";
import { type Fields, isSame } from "../kinds/fields.ts";
import { showNotice } from "../parts/notices.tsx";
import { fetchWindow, type StoredWindow, windowQuery } from "./queries.ts";
import { toInput, toValues, type WindowValues } from "./values.ts";
import { fromShown, toShown } from "./window-conflict.ts";
import type { WindowInput } from "./wire.ts";
import { words } from "./words.ts";

interface Base {
  /** Null: a new window. */
  readonly stored: StoredWindow | null;
  readonly values: WindowValues;
}

/** What somebody else saved meanwhile. */
interface Met {
  readonly stored: StoredWindow;
  readonly values: WindowValues;
}

type Outcome = { readonly saved: StoredWindow } | { readonly met: Met };

const readNames = (all: readonly WindowValues[]) =>
  new Map(all.flatMap(({ checks }) => checks.map(({ id, name }) => [id, name] as const)));

async function putWindow(id: number, body: WindowInput, etag: string | null) {
  const params = { path: { id }, header: etag === null ? {} : { "if-match": etag } };
  const answer = await sendFull(api.PUT("/v1/maintenance-windows/{id}", { params, body }));
  return { saved: { window: answer.data, etag: answer.etag } };
}

async function createWindow(body: WindowInput): Promise<Outcome> {
  const answer = await sendFull(api.POST("/v1/maintenance-windows", { body }));
  return { saved: { window: answer.data, etag: answer.etag } };
}

async function saveOrMeet(base: Base, mine: WindowValues, body: WindowInput): Promise<Outcome> {
  if (base.stored === null) return createWindow(body);
  const { id } = base.stored.window;
  try {
    return await putWindow(id, body, base.stored.etag);
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 412) throw error;
  }
  const stored = await fetchWindow(id);
  const values = toValues(stored.window, readNames([base.values, mine]));
  const [was, own, now] = [base.values, mine, values].map(toShown) as [Fields, Fields, Fields];
  if (isNews(was, own, now)) return { met: { stored, values } };
  return putWindow(id, body, stored.etag);
}

/** The values of the form, and what they are changes of. */
export function useWindowEditor(stored: StoredWindow | null, start: WindowValues) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const [base, setBase] = useState<Base>({ stored, values: start });
  const [values, setValues] = useState(start);
  const [met, setMet] = useState<Met | null>(null);
  const isTouched = !isSame(values, base.values);
  // What somebody else saved is shown at once, but never over what is being typed.
  if (!isTouched && stored !== null && stored.etag !== base.stored?.etag) {
    setBase({ stored, values: start });
    setValues(start);
  }
  const input = toInput(values, base.stored?.window ?? null);
  const save = useMutation({
    mutationFn: (body: WindowInput) => saveOrMeet(base, values, body),
    onSuccess: (outcome) => {
      if ("met" in outcome) {
        setMet(outcome.met);
        return;
      }
      const { saved } = outcome;
      const shown = toValues(saved.window, readNames([values]));
      setMet(null);
      setBase({ stored: saved, values: shown });
      setValues(shown);
      client.setQueryData(windowQuery(saved.window.id).queryKey, saved);
      showNotice({ text: words.form.saved(saved.window.name) });
      void client.invalidateQueries({ queryKey: ["maintenance"] });
      if (base.stored !== null) return;
      const params = { windowId: String(saved.window.id) };
      void navigate({ to: "/alerts/maintenance/$windowId", params, replace: true });
    },
  });
  const conflict = met && {
    base: toShown(base.values),
    mine: toShown(values),
    theirs: toShown(met.values),
    etag: met.stored.etag,
  };
  /** The state of theirs is what the chosen values are changes of from now on. */
  const settle = (fields: Fields) => {
    if (met === null) return;
    setValues(fromShown(fields, [values, met.values]));
    setBase({ stored: met.stored, values: met.values });
    setMet(null);
  };
  return { window: base.stored?.window ?? null, values, setValues, input, save, conflict, settle };
}
