import { Checkbox, NativeSelect } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useEditor } from "../../kinds/editor/editor-context.ts";
import { FlagField } from "../../kinds/editor/fields.tsx";
import { type Fields, getAt } from "../../kinds/fields.ts";
import { locationsQuery, privateNamesQuery } from "../../locations/location-name.tsx";
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
  const ownCount = readSlugs(values).length;
  const shown = data.filter(
    ({ servedBy, region }) => servedBy !== "nobody" || chosen.includes(region),
  );
  const toggle = (region: string) => {
    const next = chosen.includes(region)
      ? chosen.filter((one) => one !== region)
      : [...chosen, region];
    // Nowhere else than at private locations is an empty list; null leaves it to the server.
    set("locations", next.length === 0 && ownCount === 0 ? null : next);
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
      <PrivateLocationsField />
      {chosen.length + ownCount > 1 && <FlagField path="runParallel" label={words.parallel} />}
    </>
  );
}

function readSlugs(values: Fields): readonly string[] {
  const stored = getAt(values, "privateLocations");
  return Array.isArray(stored) ? stored.map(String) : [];
}

/** The account's own places; absent where it has none and the check names none. */
function PrivateLocationsField() {
  const { values, merge, findFault, noteLabel } = useEditor();
  const { data = [] } = useQuery(privateNamesQuery);
  noteLabel("privateLocations", words.privateLocations);
  const chosen = readSlugs(values);
  const known = new Set(data.map(({ slugName }) => slugName));
  const places = [
    ...data.map(({ slugName, name, status }) => ({
      slug: slugName,
      label: status === "served" ? name : `${name} (${words.unserved})`,
    })),
    ...chosen
      .filter((slug) => !known.has(slug))
      .map((slug) => ({ slug, label: `${slug} (${words.notThere})` })),
  ];
  if (places.length === 0) return null;
  const toggle = (slug: string) => {
    const next = chosen.includes(slug) ? chosen.filter((one) => one !== slug) : [...chosen, slug];
    const locations = getAt(values, "locations");
    // Chosen alone it runs there alone; without any it is the server's own location again.
    const others = Array.isArray(locations) ? locations : [];
    const rest = next.length === 0 && others.length === 0 ? null : others;
    merge({ privateLocations: next, locations: rest });
  };
  const fault = findFault("privateLocations");
  return (
    <fieldset className={styles.choices}>
      <legend className={styles.legend}>{words.privateLocations}</legend>
      <p className={styles.hint}>{words.privateLocationsHint}</p>
      <div className={styles.checkboxes}>
        {places.map(({ slug, label }, index) => (
          <Checkbox
            key={slug}
            label={label}
            title={slug}
            data-path={index === 0 ? "privateLocations" : undefined}
            checked={chosen.includes(slug)}
            onChange={() => toggle(slug)}
          />
        ))}
      </div>
      {fault && (
        <p className={styles.fault} role="alert">
          {fault}
        </p>
      )}
    </fieldset>
  );
}
