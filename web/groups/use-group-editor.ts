import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { ApiError } from "../api/api-error.ts";
import { api, sendFull } from "../api/client.ts";
import { isNews } from "../checks/editor/changes.ts";
import { isSame } from "../kinds/fields.ts";
import { showNotice } from "../parts/notices.tsx";
import { type GroupValues, newGroup, toChange, toValues } from "./group-values.ts";
import { fetchGroup, groupQuery, type StoredGroup } from "./queries.ts";
import { words } from "./words.ts";

interface Base {
  /** `null` for a new group. */
  readonly stored: StoredGroup | null;
  readonly values: GroupValues;
}

type Outcome = { readonly saved: StoredGroup } | { readonly conflict: StoredGroup };

const toBase = (stored: StoredGroup | null): Base => ({
  stored,
  values: stored === null ? newGroup : toValues(stored.group),
});

async function createGroup(values: GroupValues): Promise<Outcome> {
  const body = toChange(values, null);
  const { data, etag } = await sendFull(api.POST("/v1/check-groups", { body }));
  return { saved: { group: data, etag } };
}

async function updateGroup({ group, etag }: StoredGroup, values: GroupValues): Promise<Outcome> {
  const header = etag === null ? {} : { "if-match": etag };
  const params = { path: { id: group.id }, header };
  const body = toChange(values, group);
  const answer = await sendFull(api.PUT("/v1/check-groups/{id}", { params, body }));
  return { saved: { group: answer.data, etag: answer.etag } };
}

/** Saves, or returns the state that somebody else saved in the meantime. */
async function saveOrConflict(base: Base, mine: GroupValues): Promise<Outcome> {
  if (base.stored === null) return createGroup(mine);
  try {
    return await updateGroup(base.stored, mine);
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 412) throw error;
  }
  const stored = await fetchGroup(base.stored.group.id);
  const theirs = toValues(stored.group);
  // Settings that the form does not show may have changed: there is nothing to choose then.
  if (isNews({ ...base.values }, { ...mine }, { ...theirs })) return { conflict: stored };
  return updateGroup(stored, mine);
}

/** Holds the values of the form, the state that they change, and a conflict with another writer. */
export function useGroupEditor(stored: StoredGroup | null) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const [base, setBase] = useState(() => toBase(stored));
  const [values, setValues] = useState(base.values);
  const [theirs, setTheirs] = useState<StoredGroup | null>(null);
  // A change by somebody else is shown at once, but never over unsaved input.
  if (stored !== null && stored.etag !== base.stored?.etag && isSame(values, base.values)) {
    const next = toBase(stored);
    setBase(next);
    setValues(next.values);
  }
  const save = useMutation({
    mutationFn: () => saveOrConflict(base, values),
    onSuccess: (outcome) => {
      if ("conflict" in outcome) {
        setTheirs(outcome.conflict);
        return;
      }
      const { saved } = outcome;
      const next = toBase(saved);
      setTheirs(null);
      setBase(next);
      setValues(next.values);
      client.setQueryData(groupQuery(saved.group.id).queryKey, saved);
      showNotice({ text: words.saved(saved.group.name) });
      void client.invalidateQueries({ queryKey: ["groups", "list"] });
      void client.invalidateQueries({ queryKey: ["check-groups"] });
      void client.invalidateQueries({ queryKey: ["checks"] });
      if (base.stored !== null) return;
      void navigate({ to: "/groups/$groupId", params: { groupId: `${saved.group.id}` } });
    },
  });
  return {
    values,
    save,
    change: (change: Partial<GroupValues>) => setValues({ ...values, ...change }),
    conflict: theirs && { base: base.values, mine: values, theirs: toValues(theirs.group) },
    /** Continues from the other writer's state with the chosen values. */
    settle: (chosen: GroupValues) => {
      setBase(toBase(theirs));
      setValues(chosen);
      setTheirs(null);
    },
  };
}
