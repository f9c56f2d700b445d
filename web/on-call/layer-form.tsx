import { Button, NativeSelect, NumberInput, TextInput } from "@mantine/core";
import { useState } from "react";
import { getFieldError } from "../editing/index.ts";
import blockStyles from "../parts/blocks.module.css";
import buttonStyles from "../parts/buttons.module.css";
import { IconButton } from "../parts/buttons.tsx";
import { FieldRow } from "../parts/form.tsx";
import { BackIcon, CloseIcon, PlusIcon, TrashIcon } from "../parts/icons.tsx";
import layoutStyles from "../parts/layout.module.css";
import { joinClasses, Row, Stack } from "../parts/layout.tsx";
import listStyles from "../parts/list.module.css";
import textStyles from "../parts/text.module.css";
import styles from "./on-call.module.css";
import type { Member } from "./queries.ts";
import { type LayerValues, moveUp, type Restriction, removeAt, replaceAt } from "./values.ts";
import { type Unit, type Weekday, weekdays, words } from "./words.ts";

const own = words.form;

export interface LayerProps {
  readonly layer: LayerValues;
  readonly index: number;
  readonly members: readonly Member[];
  /** Names of participants who are no longer members. */
  readonly formerNames: ReadonlyMap<string, string>;
  readonly isReadOnly: boolean;
  readonly error: Error | null;
  readonly onChange: (change: Partial<LayerValues>) => void;
  readonly onRemove: () => void;
}

interface AddPersonProps {
  readonly members: readonly Member[];
  readonly fault: string | undefined;
  readonly onAdd: (userId: string) => void;
}

/**
 * Adds a person to a layer. A separate button adds the selected person, because arrow keys already
 * change the selection.
 */
function AddPerson({ members, fault, onAdd }: AddPersonProps) {
  const [chosen, setChosen] = useState("");
  return (
    <Row nowrap align="end">
      <NativeSelect
        className={layoutStyles.grow ?? ""}
        label={own.addPerson}
        value={chosen}
        error={fault}
        data={[
          { value: "", label: own.choose },
          ...members.map(({ userId, name }) => ({ value: userId, label: name })),
        ]}
        onChange={({ currentTarget }) => setChosen(currentTarget.value)}
      />
      <Button
        variant="default"
        disabled={chosen === ""}
        onClick={() => {
          onAdd(chosen);
          setChosen("");
        }}
      >
        {own.addPersonAction}
      </Button>
    </Row>
  );
}

function Participants({ layer, index, members, formerNames, ...rest }: LayerProps) {
  const { isReadOnly, error, onChange } = rest;
  const { participants } = layer;
  const names = new Map(members.map(({ userId, name }) => [userId, name]));
  const nameOf = (id: string) => names.get(id) ?? own.leftPerson(formerNames.get(id) ?? id);
  const fault = getFieldError(error, `layers.${index}.participants`);
  return (
    <Stack gap={2}>
      <h4>{own.participants}</h4>
      {participants.length > 0 && (
        <ol className={listStyles.list}>
          {participants.map((id, place) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a person may occur several times.
            <li key={place}>
              <Row nowrap justify="between" className={listStyles.item}>
                <span className={joinClasses(layoutStyles.grow, textStyles.wrap)}>
                  {place + 1}. <bdi>{nameOf(id)}</bdi>
                </span>
                {!isReadOnly && (
                  <Row nowrap>
                    {place > 0 && (
                      <IconButton
                        className={styles.up}
                        aria-label={own.moveUp(nameOf(id))}
                        onClick={() => onChange({ participants: moveUp(participants, place) })}
                      >
                        <BackIcon size={18} />
                      </IconButton>
                    )}
                    <IconButton
                      aria-label={own.remove(nameOf(id))}
                      onClick={() => onChange({ participants: removeAt(participants, place) })}
                    >
                      <CloseIcon size={18} />
                    </IconButton>
                  </Row>
                )}
              </Row>
            </li>
          ))}
        </ol>
      )}
      {!isReadOnly && (
        <AddPerson
          members={members}
          fault={fault}
          onAdd={(id) => onChange({ participants: [...participants, id] })}
        />
      )}
    </Stack>
  );
}

function RotationFields({ layer, index, isReadOnly, error, onChange }: LayerProps) {
  const { rotation } = layer;
  const change = (part: Partial<LayerValues["rotation"]>) =>
    onChange({ rotation: { ...rotation, ...part } });
  const faultOf = (field: string) => getFieldError(error, `layers.${index}.${field}`);
  return (
    <>
      <FieldRow>
        <NumberInput
          label={own.interval}
          value={rotation.interval}
          min={1}
          max={366}
          readOnly={isReadOnly}
          error={faultOf("rotation.interval")}
          onChange={(value) => change({ interval: Number(value) || 1 })}
        />
        <NativeSelect
          label={own.unit}
          value={rotation.unit}
          disabled={isReadOnly}
          data={Object.entries(own.units).map(([value, label]) => ({ value, label }))}
          onChange={({ currentTarget }) => change({ unit: currentTarget.value as Unit })}
        />
      </FieldRow>
      <FieldRow>
        <TextInput
          type="time"
          label={own.handoffTime}
          value={rotation.handoffTime}
          readOnly={isReadOnly}
          error={faultOf("rotation.handoffTime")}
          onChange={({ currentTarget }) => change({ handoffTime: currentTarget.value })}
        />
        {rotation.unit === "WEEK" && (
          <NativeSelect
            label={own.handoffDay}
            value={rotation.handoffDay}
            disabled={isReadOnly}
            data={weekdays.map(([value, label]) => ({ value, label }))}
            onChange={({ currentTarget }) => change({ handoffDay: currentTarget.value as Weekday })}
          />
        )}
      </FieldRow>
      <FieldRow>
        <TextInput
          type="datetime-local"
          label={own.start}
          value={layer.start}
          readOnly={isReadOnly}
          error={faultOf("start")}
          onChange={({ currentTarget }) => onChange({ start: currentTarget.value })}
        />
        <TextInput
          type="datetime-local"
          label={own.end}
          description={own.endHint}
          value={layer.end}
          readOnly={isReadOnly}
          error={faultOf("end")}
          onChange={({ currentTarget }) => onChange({ end: currentTarget.value })}
        />
      </FieldRow>
    </>
  );
}

interface HoursProps {
  readonly hours: Restriction;
  readonly isReadOnly: boolean;
  readonly onChange: (hours: Restriction) => void;
  readonly onRemove: () => void;
}

function HoursFields({ hours, isReadOnly, onChange, onRemove }: HoursProps) {
  const toggle = (day: Weekday) => {
    const days = hours.days.includes(day)
      ? hours.days.filter((one) => one !== day)
      : [...hours.days, day];
    // The last day cannot be removed, because the API rejects hours without a day.
    if (days.length > 0) onChange({ ...hours, days });
  };
  return (
    <Stack gap={2} className={styles.hours}>
      <Row as="fieldset" disabled={isReadOnly}>
        <legend className="unseen">{own.days}</legend>
        {weekdays.map(([day, label]) => (
          <button
            key={day}
            type="button"
            className={buttonStyles.chip}
            aria-pressed={hours.days.includes(day)}
            onClick={() => toggle(day)}
          >
            {label}
          </button>
        ))}
      </Row>
      <FieldRow>
        <TextInput
          type="time"
          label={own.from}
          value={hours.from}
          readOnly={isReadOnly}
          onChange={({ currentTarget }) => onChange({ ...hours, from: currentTarget.value })}
        />
        <TextInput
          type="time"
          label={own.to}
          value={hours.to}
          readOnly={isReadOnly}
          onChange={({ currentTarget }) => onChange({ ...hours, to: currentTarget.value })}
        />
      </FieldRow>
      {!isReadOnly && (
        <Row>
          <Button variant="default" size="xs" onClick={onRemove}>
            {own.removeHours}
          </Button>
        </Row>
      )}
    </Stack>
  );
}

const officeHours: Restriction = {
  days: ["MONDAY", "TUESDAY", "WEDNESDAY", "THURSDAY", "FRIDAY"],
  from: "09:00",
  to: "17:00",
};

export function LayerForm(props: LayerProps) {
  const { layer, index, isReadOnly, error, onChange, onRemove } = props;
  const { restrictions } = layer;
  return (
    <Stack as="section" gap={4} className={blockStyles.card} aria-label={own.layer(index)}>
      <Row nowrap justify="between">
        <h3>{own.layer(index)}</h3>
        {!isReadOnly && (
          <IconButton aria-label={own.removeLayer(own.layer(index))} onClick={onRemove}>
            <TrashIcon size={18} />
          </IconButton>
        )}
      </Row>
      <TextInput
        label={own.layerName}
        value={layer.name}
        readOnly={isReadOnly}
        error={getFieldError(error, `layers.${index}.name`)}
        onChange={({ currentTarget }) => onChange({ name: currentTarget.value })}
      />
      <Participants {...props} />
      <RotationFields {...props} />
      <Stack gap={2}>
        <h4>{own.hours}</h4>
        <p className={textStyles.hint}>{own.hoursHint}</p>
        {restrictions.map((hours, place) => (
          <HoursFields
            // biome-ignore lint/suspicious/noArrayIndexKey: hours have no id
            key={place}
            hours={hours}
            isReadOnly={isReadOnly}
            onChange={(next) => onChange({ restrictions: replaceAt(restrictions, place, next) })}
            onRemove={() => onChange({ restrictions: removeAt(restrictions, place) })}
          />
        ))}
        {!isReadOnly && (
          <Row>
            <Button
              variant="default"
              size="xs"
              leftSection={<PlusIcon size={14} />}
              onClick={() => onChange({ restrictions: [...restrictions, officeHours] })}
            >
              {own.addHours}
            </Button>
          </Row>
        )}
      </Stack>
    </Stack>
  );
}
