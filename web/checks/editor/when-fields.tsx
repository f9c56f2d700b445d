import { NativeSelect } from "@mantine/core";
import { useEditor } from "../../kinds/editor/editor-context.ts";
import { listFrequencies, readFrequency, writeFrequency } from "./frequency.ts";
import { LocationsField } from "./locations-field.tsx";
import { words } from "./words.ts";

export function WhenFields() {
  return (
    <>
      <FrequencyField />
      <LocationsField />
    </>
  );
}

/** One control for two API fields, because intervals below a minute use a separate one. */
export function FrequencyField() {
  const { values, kind, merge, findFieldError, noteLabel } = useEditor();
  noteLabel("frequency", words.frequency);
  noteLabel("frequencyOffset", words.frequency);
  return (
    <NativeSelect
      label={words.frequency}
      data-path="frequency frequencyOffset"
      error={findFieldError("frequency") ?? findFieldError("frequencyOffset")}
      data={listFrequencies(kind.intervalSeconds)}
      value={writeFrequency(values, kind)}
      onChange={({ currentTarget }) => merge(readFrequency(currentTarget.value))}
    />
  );
}
