import { useMemo, useState } from "react";

export interface Selection {
  readonly ids: ReadonlySet<string>;
  /** Whether everything that matches the filter is selected, loaded or not. */
  readonly isAll: boolean;
  readonly has: (checkId: string) => boolean;
  readonly toggle: (checkId: string, index: number) => void;
  /** Selects the rows from the last toggled one to this one. */
  readonly extend: (index: number, idsBetween: (from: number, to: number) => string[]) => void;
  readonly choose: (ids: readonly string[]) => void;
  readonly chooseAll: () => void;
  readonly clear: () => void;
}

interface Chosen {
  readonly ids: ReadonlySet<string>;
  readonly isAll: boolean;
  readonly lastIndex: number;
}

const nothing: Chosen = { ids: new Set(), isAll: false, lastIndex: 0 };

export function useSelection(): Selection {
  const [chosen, setChosen] = useState<Chosen>(nothing);
  return useMemo(
    () => ({
      ids: chosen.ids,
      isAll: chosen.isAll,
      has: (checkId) => chosen.isAll || chosen.ids.has(checkId),
      toggle: (checkId, lastIndex) => {
        const ids = new Set(chosen.isAll ? [] : chosen.ids);
        if (!ids.delete(checkId)) ids.add(checkId);
        setChosen({ ids, isAll: false, lastIndex });
      },
      extend: (index, idsBetween) => {
        const [from, to] = [chosen.lastIndex, index].sort((a, b) => a - b);
        const ids = new Set([...chosen.ids, ...idsBetween(from ?? 0, to ?? 0)]);
        setChosen({ ids, isAll: false, lastIndex: index });
      },
      choose: (ids) => setChosen({ ...nothing, ids: new Set(ids) }),
      chooseAll: () => setChosen({ ...chosen, isAll: true }),
      clear: () => setChosen(nothing),
    }),
    [chosen],
  );
}
