import { Checkbox, NativeSelect } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useEditor } from "../../kinds/editor/editor-context.ts";
import { anyFields } from "../../kinds/editor/fields.tsx";
import type { AnyValues } from "../../kinds/form-values.ts";
import {
  isThisServer,
  type ListedLocation,
  locationsQuery,
  privateNamesQuery,
  sortLocations,
} from "../../locations/index.ts";
import { getTexts } from "../../parts/fields.ts";
import { Stack } from "../../parts/layout.tsx";
import textStyles from "../../parts/text.module.css";
import styles from "./editor.module.css";
import { listFrequencies, readFrequency, writeFrequency } from "./frequency.ts";
import { words } from "./words.ts";

const { FlagField } = anyFields;

type Region = NonNullable<AnyValues["locations"]>[number];

/** Casts a region to the API's type. The cast is safe, because the region comes from the API. */
const asRegion = ({ region }: ListedLocation) => region as Region;

/**
 * Selects the public locations of a check. Locations that are selected or have a probe come first.
 * The other available locations are in a collapsed list.
 */
function LocationsField() {
  const { values, set, findFieldError, noteLabel } = useEditor();
  const { data = [] } = useQuery(locationsQuery);
  noteLabel("locations", words.locations);
  const named = getTexts(values, "locations");
  const ownCount = getTexts(values, "privateLocations").length;
  const { served, others } = sortLocations(data, named);
  // If no location is selected, the check runs at the location of the server.
  const here = served.find(isThisServer);
  const usual = here && asRegion(here);
  const isUsual = named.length === 0 && ownCount === 0 && usual !== undefined;
  const chosen = isUsual ? [usual] : named;
  const toggle = (region: Region) => {
    const next = chosen.includes(region)
      ? chosen.filter((one) => one !== region)
      : [...chosen, region];
    const isDefault = next.length === 0 || (next.length === 1 && next[0] === usual);
    // `null` selects the server's default. An empty list means that the check runs only at private
    // locations.
    set("locations", isDefault && ownCount === 0 ? null : next);
  };
  const fault = findFieldError("locations");
  return (
    <>
      <Stack as="fieldset" gap={2}>
        <legend className={textStyles.legend}>{words.locations}</legend>
        {usual === undefined && <p className={textStyles.hint}>{words.locationsHint}</p>}
        <Places places={served} chosen={chosen} onToggle={toggle} />
        {others.length > 0 && (
          <details className={styles.morePlaces}>
            <summary>{words.otherPlaces(others.length)}</summary>
            <p className={textStyles.hint}>{words.otherPlacesHint}</p>
            <Places places={others} chosen={chosen} onToggle={toggle} />
          </details>
        )}
        {fault && (
          <p className={textStyles.fault} role="alert">
            {fault}
          </p>
        )}
      </Stack>
      <PrivateLocationsField />
      {chosen.length + ownCount > 1 && <FlagField path="runParallel" label={words.parallel} />}
    </>
  );
}

interface PlacesProps {
  readonly places: readonly ListedLocation[];
  readonly chosen: readonly Region[];
  readonly onToggle: (region: Region) => void;
}

function Places({ places, chosen, onToggle }: PlacesProps) {
  return (
    <div className={styles.checkboxes}>
      {places.map((place) => (
        <Checkbox
          key={place.region}
          label={place.name}
          description={describePlace(place)}
          title={place.region}
          data-path="locations"
          checked={chosen.includes(asRegion(place))}
          onChange={() => onToggle(asRegion(place))}
        />
      ))}
    </div>
  );
}

function describePlace(place: ListedLocation): string | undefined {
  if (isThisServer(place) && place.name !== words.thisServer) return words.onThisServer;
  if (place.servedBy === "own-probe") return undefined;
  return place.servedBy === "nobody" ? words.unserved : words.servedHere;
}

/** Selects private locations. Hidden if the account has none and the check uses none. */
function PrivateLocationsField() {
  const { values, merge, findFieldError, noteLabel } = useEditor();
  const { data = [] } = useQuery(privateNamesQuery);
  noteLabel("privateLocations", words.privateLocations);
  const chosen = getTexts(values, "privateLocations");
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
    const others = getTexts(values, "locations");
    // `null` selects the server's default. An empty list means that the check runs only at private
    // locations.
    const rest = next.length === 0 && others.length === 0 ? null : others;
    merge({ privateLocations: next, locations: rest });
  };
  const fault = findFieldError("privateLocations");
  return (
    <Stack as="fieldset" gap={2}>
      <legend className={textStyles.legend}>{words.privateLocations}</legend>
      <p className={textStyles.hint}>{words.privateLocationsHint}</p>
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
        <p className={textStyles.fault} role="alert">
          {fault}
        </p>
      )}
    </Stack>
  );
}

export function WhenFields() {
  return (
    <>
      <FrequencyField />
      <LocationsField />
    </>
  );
}

/** Edits the interval. The API stores intervals below a minute in a separate field. */
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
