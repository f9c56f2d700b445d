import { Checkbox, NativeSelect, NumberInput, Switch, Textarea, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { describeChannel } from "../alerts/index.ts";
import { snippetsQuery } from "../kinds/scripts/queries.ts";
import {
  type ListedLocation,
  locationsQuery,
  privateNamesQuery,
  sortLocations,
} from "../locations/index.ts";
import { PolicySelect } from "../on-call/index.ts";
import { ChoiceColumns, FieldRow, FormSection } from "../parts/form.tsx";
import { Stack } from "../parts/layout.tsx";
import { TagsField } from "../parts/tags-field.tsx";
import textStyles from "../parts/text.module.css";
import { failingMinutes, type GroupValues } from "./group-values.ts";
import { channelsQuery } from "./queries.ts";
import { words } from "./words.ts";

interface FormProps {
  readonly values: GroupValues;
  readonly isReadOnly: boolean;
  /** Validation error texts by field name. */
  readonly faults: Readonly<Record<string, string>>;
  readonly onChange: (change: Partial<GroupValues>) => void;
}

const toggled = <Item,>(list: readonly Item[], item: Item): Item[] =>
  list.includes(item) ? list.filter((one) => one !== item) : [...list, item];

function MainFields({ values, isReadOnly, faults, onChange }: FormProps) {
  return (
    <>
      <TextInput
        label={words.name}
        value={values.name}
        maxLength={255}
        required
        readOnly={isReadOnly}
        error={faults.name}
        onChange={(event) => onChange({ name: event.currentTarget.value })}
      />
      <Switch
        label={words.activated}
        description={words.activatedHint}
        checked={values.activated}
        disabled={isReadOnly}
        onChange={(event) => onChange({ activated: event.currentTarget.checked })}
      />
      <Switch
        label={words.muted}
        description={words.mutedHint}
        checked={values.muted}
        disabled={isReadOnly}
        onChange={(event) => onChange({ muted: event.currentTarget.checked })}
      />
      <TagsField
        label={words.tags}
        description={words.tagsHint}
        value={values.tags}
        readOnly={isReadOnly}
        error={faults.tags}
        onChange={(tags) => onChange({ tags })}
      />
    </>
  );
}

function LocationFields({ values, isReadOnly, faults, onChange }: FormProps) {
  const { data: locations = [] } = useQuery(locationsQuery);
  const { served, others } = sortLocations(locations, values.locations);
  const listPlaces = (places: readonly ListedLocation[]) => (
    <ChoiceColumns>
      {places.map(({ region, name, servedBy }) => (
        <Checkbox
          key={region}
          value={region}
          label={name}
          title={region}
          {...(servedBy !== "own-probe" && { description: words.unserved })}
          disabled={isReadOnly}
          onChange={() => onChange({ locations: toggled(values.locations, region) })}
        />
      ))}
    </ChoiceColumns>
  );
  return (
    <Checkbox.Group
      label={words.locations}
      description={words.locationsHint}
      error={faults.locations}
      value={[...values.locations]}
      readOnly={isReadOnly}
    >
      {listPlaces(served)}
      {others.length > 0 && (
        <details>
          <summary>{words.otherPlaces(others.length)}</summary>
          {listPlaces(others)}
        </details>
      )}
    </Checkbox.Group>
  );
}

/** Selects private locations. The list also contains selected locations that no longer exist. */
function PrivateLocationFields({ values, isReadOnly, faults, onChange }: FormProps) {
  const { data = [] } = useQuery(privateNamesQuery);
  const known = new Set(data.map(({ slugName }) => slugName));
  const places = [
    ...data.map(({ slugName, name }) => ({
      slug: slugName,
      // The slug distinguishes locations with the same name.
      label: data.some((one) => one.name === name && one.slugName !== slugName)
        ? `${name} (${slugName})`
        : name,
    })),
    ...values.privateLocations
      .filter((slug) => !known.has(slug))
      .map((slug) => ({ slug, label: `${slug} (${words.notThere})` })),
  ];
  if (places.length === 0) return null;
  return (
    <Checkbox.Group
      label={words.privateLocations}
      description={words.locationsHint}
      error={faults.privateLocations}
      value={[...values.privateLocations]}
      readOnly={isReadOnly}
    >
      <ChoiceColumns>
        {places.map(({ slug, label }) => (
          <Checkbox
            key={slug}
            value={slug}
            label={label}
            disabled={isReadOnly}
            onChange={() => onChange({ privateLocations: toggled(values.privateLocations, slug) })}
          />
        ))}
      </ChoiceColumns>
    </Checkbox.Group>
  );
}

function EscalationFields({ values, isReadOnly, faults, onChange }: FormProps) {
  return (
    <FieldRow>
      <NativeSelect
        label={words.escalation}
        value={values.escalation}
        disabled={isReadOnly}
        data={[
          { value: "RUN_BASED", label: words.byRuns },
          { value: "TIME_BASED", label: words.byTime },
        ]}
        onChange={(event) =>
          onChange({ escalation: event.currentTarget.value as GroupValues["escalation"] })
        }
      />
      {values.escalation === "RUN_BASED" ? (
        <NumberInput
          label={words.failedRuns}
          value={values.failedRuns}
          min={1}
          max={5}
          readOnly={isReadOnly}
          error={faults.alertSettings}
          onChange={(value) => onChange({ failedRuns: Number(value) || 1 })}
        />
      ) : (
        <NativeSelect
          label={words.failingMinutes}
          value={`${values.failingMinutes}`}
          disabled={isReadOnly}
          error={faults.alertSettings}
          data={failingMinutes.map((count) => ({
            value: `${count}`,
            label: words.minutes(count),
          }))}
          onChange={({ currentTarget: { value } }) => {
            const chosen = failingMinutes.find((count) => `${count}` === value);
            if (chosen !== undefined) onChange({ failingMinutes: chosen });
          }}
        />
      )}
    </FieldRow>
  );
}

function PagingFields({ values, isReadOnly, faults, onChange }: FormProps) {
  return (
    <FieldRow>
      <PolicySelect
        label={words.policy}
        none={words.accountPolicy}
        value={values.escalationPolicyId}
        error={faults.alertSettings}
        disabled={isReadOnly}
        onChange={(escalationPolicyId) => onChange({ escalationPolicyId })}
      />
      <NativeSelect
        label={words.urgency}
        description={words.urgencyHint}
        value={values.urgency}
        disabled={isReadOnly}
        data={[
          { value: "", label: words.nearestUrgency },
          { value: "HIGH", label: words.urgent },
          { value: "LOW", label: words.notUrgent },
        ]}
        onChange={({ currentTarget: { value } }) =>
          onChange({ urgency: value as GroupValues["urgency"] })
        }
      />
    </FieldRow>
  );
}

function AlertFields(props: FormProps) {
  const { values, isReadOnly, onChange } = props;
  const { data: channels = [] } = useQuery(channelsQuery);
  return (
    <>
      <NativeSelect
        label={words.alerting}
        description={words.alertingHint}
        value={values.alerting}
        disabled={isReadOnly}
        data={[
          { value: "each", label: words.eachDecides },
          { value: "account", label: words.accountSettings },
          { value: "own", label: words.ownSettings },
        ]}
        onChange={(event) =>
          onChange({ alerting: event.currentTarget.value as GroupValues["alerting"] })
        }
      />
      {values.alerting === "own" && <EscalationFields {...props} />}
      {values.alerting !== "each" && <PagingFields {...props} />}
      <NativeSelect
        label={words.parallel}
        value={values.runParallel}
        disabled={isReadOnly}
        data={[
          { value: "each", label: words.eachDecides },
          { value: "on", label: words.parallelOn },
          { value: "off", label: words.parallelOff },
        ]}
        onChange={(event) =>
          onChange({ runParallel: event.currentTarget.value as GroupValues["runParallel"] })
        }
      />
      <Checkbox.Group
        label={words.channels}
        description={channels.length === 0 ? words.noChannels : words.channelsHint}
        value={values.channelIds.map(String)}
        readOnly={isReadOnly}
      >
        <ChoiceColumns>
          {channels.map((channel) => (
            <Checkbox
              key={channel.id}
              value={String(channel.id)}
              label={describeChannel(channel)}
              disabled={isReadOnly}
              onChange={() => onChange({ channelIds: toggled(values.channelIds, channel.id) })}
            />
          ))}
        </ChoiceColumns>
      </Checkbox.Group>
    </>
  );
}

interface SnippetFieldProps extends FormProps {
  readonly name: "setupSnippetId" | "tearDownSnippetId";
  readonly label: string;
}

function SnippetField({ values, isReadOnly, faults, onChange, name, label }: SnippetFieldProps) {
  const { data: snippets = [] } = useQuery(snippetsQuery);
  const chosen = values[name];
  const isGone = chosen !== null && !snippets.some(({ id }) => id === chosen);
  if (snippets.length === 0 && chosen === null) return null;
  return (
    <NativeSelect
      label={label}
      disabled={isReadOnly}
      error={faults[name]}
      data={[
        { value: "", label: words.noSnippet },
        ...snippets.map((one) => ({ value: String(one.id), label: one.name })),
        ...(isGone ? [{ value: String(chosen), label: words.goneSnippet(chosen) }] : []),
      ]}
      value={chosen === null ? "" : String(chosen)}
      onChange={({ currentTarget: { value } }) =>
        onChange({ [name]: value === "" ? null : Number(value) })
      }
    />
  );
}

interface ScriptFieldProps extends FormProps {
  readonly name: "localSetupScript" | "localTearDownScript";
  readonly label: string;
}

function ScriptField({ values, isReadOnly, faults, onChange, name, label }: ScriptFieldProps) {
  return (
    <Textarea
      label={label}
      classNames={{ input: `${textStyles.mono} ${textStyles.small}` }}
      rows={6}
      spellCheck={false}
      autoComplete="off"
      readOnly={isReadOnly}
      error={faults[name]}
      value={values[name]}
      onChange={({ currentTarget: { value } }) => onChange({ [name]: value })}
    />
  );
}

/** Edits the scripts of a group. The section is collapsed, because most groups have no scripts. */
function ScriptFields(props: FormProps) {
  const { localSetupScript, localTearDownScript, ...ids } = props.values;
  const isUsed =
    localSetupScript + localTearDownScript !== "" ||
    (ids.setupSnippetId ?? ids.tearDownSnippetId) !== null;
  const [isOpen, setOpen] = useState(isUsed);
  return (
    <details open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{words.scripts}</summary>
      {isOpen && (
        <Stack gap={4}>
          <p className={textStyles.hint}>{words.scriptsHint}</p>
          <SnippetField {...props} name="setupSnippetId" label={words.setupSnippet} />
          <ScriptField {...props} name="localSetupScript" label={words.setupScript} />
          <SnippetField {...props} name="tearDownSnippetId" label={words.tearDownSnippet} />
          <ScriptField {...props} name="localTearDownScript" label={words.tearDownScript} />
        </Stack>
      )}
    </details>
  );
}

export function GroupForm(props: FormProps) {
  return (
    <>
      <FormSection title={words.general}>
        <MainFields {...props} />
      </FormSection>
      <FormSection title={words.where}>
        <LocationFields {...props} />
        <PrivateLocationFields {...props} />
      </FormSection>
      <FormSection title={words.alerts}>
        <AlertFields {...props} />
      </FormSection>
      <ScriptFields {...props} />
    </>
  );
}
