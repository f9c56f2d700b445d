import { Checkbox, NativeSelect } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useEditor } from "../../kinds/editor/editor-context.ts";
import { FlagField } from "../../kinds/editor/fields.tsx";
import { getAt } from "../../kinds/fields.ts";
import { locationsQuery } from "../../locations/location-name.tsx";
import styles from "./editor.module.css";
import { listFrequencies, readFrequency, writeFrequency } from "./frequency.ts";
import { words } from "./words.ts";

export function WhenFields() {
  return (
    <>
      <FrequencyField />
      <LocationsField />
    </>
  );
}

/** Below a minute the API has another field for the seconds: here it is one choice. */
function FrequencyField() {
  const { values, merge, findFault, noteLabel } = useEditor();
  noteLabel("frequency", words.frequency);
  noteLabel("frequencyOffset", words.frequency);
  return (
    <NativeSelect
      label={words.frequency}
      data-path="frequency frequencyOffset"
      error={findFault("frequency") ?? findFault("frequencyOffset")}
      data={listFrequencies()}
      value={writeFrequency(values)}
      onChange={({ currentTarget }) => merge(readFrequency(currentTarget.value))}
    />
  );
}

function LocationsField() {
  const { values, set, findFault, noteLabel } = useEditor();
  const { data = [] } = useQuery(locationsQuery);
  noteLabel("locations", words.locations);
  const stored = getAt(values, "locations");
  const chosen = Array.isArray(stored) ? (stored as readonly string[]) : [];
  const shown = data.filter(
    ({ servedBy, region }) => servedBy !== "nobody" || chosen.includes(region),
  );
  const toggle = (region: string) => {
    const next = chosen.includes(region)
      ? chosen.filter((one) => one !== region)
      : [...chosen, region];
    set("locations", next.length === 0 ? null : next);
  };
  return (
    <>
      <fieldset className={styles.choices}>
        <legend className={styles.legend}>{words.locations}</legend>
        <p className={styles.hint}>{words.locationsHint}</p>
        <div className={styles.checkboxes}>
          {shown.map(({ region, name, servedBy }, index) => (
            <Checkbox
              key={region}
              label={servedBy === "nobody" ? `${name} (${words.unserved})` : name}
              title={region}
              data-path={index === 0 ? "locations" : undefined}
              checked={chosen.includes(region)}
              onChange={() => toggle(region)}
            />
          ))}
        </div>
        {findFault("locations") && (
          <p className={styles.fault} role="alert">
            {findFault("locations")}
          </p>
        )}
      </fieldset>
      {chosen.length > 1 && <FlagField path="runParallel" label={words.parallel} />}
    </>
  );
}
