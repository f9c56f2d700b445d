import { useState } from "react";
import { useEditor, type Version } from "../../editing/index.ts";
import type { Composition } from "./values.ts";

interface CompositionOptions<Item> {
  readonly draftKey: string;
  readonly blank: Composition;
  readonly post: (composition: Composition) => Promise<Version<Item>>;
  readonly onPosted: (posted: Item) => Promise<void>;
}

/**
 * Form state of a new incident or update. No draft stores the switch that notifies subscribers, so
 * the user must set it again.
 */
export function useComposition<Item>(options: CompositionOptions<Item>) {
  const { draftKey, blank, post, onPosted } = options;
  const [notify, setNotify] = useState(false);
  const editor = useEditor<Item, Composition>({
    draftKey,
    stored: null,
    initial: blank,
    // A posted update is not edited here: the form is empty again.
    toValues: () => blank,
    send: (values) => post({ ...values, notify }),
    onSaved: ({ data }) => {
      editor.close();
      return onPosted(data);
    },
  });
  const change = ({ notify: isOn, ...part }: Partial<Composition>) => {
    if (isOn !== undefined) setNotify(isOn);
    editor.change(part);
  };
  return { editor, composition: { ...editor.values, notify }, change };
}
