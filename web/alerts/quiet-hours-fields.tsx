import { Button, Checkbox, NativeSelect, Radio, Switch, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { getFieldError } from "../editing/index.ts";
import { FormSection } from "../parts/form.tsx";
import { Row, Stack } from "../parts/layout.tsx";
import textStyles from "../parts/text.module.css";
import { ownZone } from "../parts/time-zones.ts";
import { ZoneSelect } from "../parts/zone-select.tsx";
import { describeChannel } from "./describe-channel.ts";
import { type Channel, channelsQuery } from "./queries.ts";
import { words } from "./words.ts";

const own = words.channel.quiet;

export type QuietHours = NonNullable<Channel["quietHours"]>;
type Range = QuietHours["ranges"][number];

/** Weekly times: quiet hours of a channel or member, and support hours of a policy. */
export type WeekHours = Pick<QuietHours, "timeZone" | "ranges">;
type Day = Range["days"][number];

const days = Object.keys(own.dayNames) as Day[];
const maxRanges = 20;

const night: Range = { days, from: "22:00", to: "07:00" };

/** Formats the hours as "Mon, Tue 22:00–07:00, Europe/Berlin" for the conflict panel. */
export function formatQuietHours(value: unknown): string {
  if (value === null || typeof value !== "object") return own.none;
  const { ranges, timeZone } = value as WeekHours;
  const times = ranges.map(
    (range) => `${range.days.map((day) => own.dayNames[day]).join(", ")} ${range.from}–${range.to}`,
  );
  return own.format(times.join("; "), timeZone);
}

interface RangeFieldsProps {
  readonly path: string;
  readonly range: Range;
  readonly place: number;
  readonly error: unknown;
  readonly onChange: (change: Partial<Range>) => void;
  /** Removes the range. `undefined` for the only range, which cannot be removed. */
  readonly onRemove: (() => void) | undefined;
}

function RangeFields(props: RangeFieldsProps) {
  const { path, range, place, error, onChange, onRemove } = props;
  const toggle = (day: Day) => {
    const chosen = range.days.includes(day)
      ? range.days.filter((one) => one !== day)
      : [...range.days, day];
    onChange({ days: days.filter((one) => chosen.includes(one)) });
  };
  return (
    <Stack as="li" gap={2}>
      <Checkbox.Group
        label={own.days}
        error={getFieldError(error, `${path}.days`)}
        value={range.days}
      >
        <Row>
          {days.map((day) => (
            <Checkbox
              key={day}
              value={day}
              label={own.dayNames[day]}
              onChange={() => toggle(day)}
            />
          ))}
        </Row>
      </Checkbox.Group>
      <Row align="end">
        <TextInput
          type="time"
          label={own.from}
          value={range.from}
          error={getFieldError(error, `${path}.from`)}
          onChange={({ currentTarget }) => onChange({ from: currentTarget.value })}
        />
        <TextInput
          type="time"
          label={own.to}
          value={range.to}
          error={getFieldError(error, `${path}.to`)}
          onChange={({ currentTarget }) => onChange({ to: currentTarget.value })}
        />
        {onRemove && (
          <Button variant="default" aria-label={own.remove(place + 1)} onClick={onRemove}>
            {own.removeShort}
          </Button>
        )}
      </Row>
    </Stack>
  );
}

interface ModeFieldsProps {
  readonly quietHours: QuietHours;
  /** Id of the channel that is edited; `undefined` for a new channel. */
  readonly channelId: number | undefined;
  readonly error: unknown;
  readonly onChange: (change: Partial<QuietHours>) => void;
}

function ModeFields({ quietHours, channelId, error, onChange }: ModeFieldsProps) {
  const { data: channels = [] } = useQuery(channelsQuery);
  const others = channels.filter(({ id }) => id !== channelId);
  const { mode, alertChannelId = null } = quietHours;
  return (
    <>
      <Radio.Group
        label={own.mode}
        value={mode}
        onChange={(value) => onChange({ mode: value as QuietHours["mode"] })}
      >
        <Stack gap={2}>
          {(["HOLD", "REROUTE"] as const).map((one) => (
            <Radio key={one} value={one} label={own.modes[one]} />
          ))}
        </Stack>
      </Radio.Group>
      {mode === "REROUTE" && others.length === 0 && <p>{own.noOther}</p>}
      {mode === "REROUTE" && others.length > 0 && (
        <NativeSelect
          label={own.other}
          value={alertChannelId ?? ""}
          error={getFieldError(error, "quietHours.alertChannelId")}
          onChange={({ currentTarget }) => {
            const { value } = currentTarget;
            onChange({ alertChannelId: value === "" ? null : Number(value) });
          }}
          data={[
            { value: "", label: own.choose },
            ...others.map((one) => ({ value: `${one.id}`, label: describeChannel(one) })),
          ]}
        />
      )}
      {mode === "REROUTE" && alertChannelId === null && (
        <p className={textStyles.muted}>{own.lost}</p>
      )}
    </>
  );
}

interface WeekHoursFieldsProps<Hours extends WeekHours> {
  readonly title: string;
  readonly toggle: string;
  /** Path of the field in the request, used to find its validation errors. */
  readonly path: string;
  readonly value: Hours | null;
  /** Initial values of all fields other than the ranges and the time zone. */
  readonly initial: Omit<Hours, keyof WeekHours>;
  /** Range that is added when the hours are enabled; by default 22:00 to 07:00 on every day. */
  readonly first?: Range;
  readonly error: unknown;
  readonly onChange: (value: Hours | null) => void;
  /** Further fields, shown while the hours are enabled. */
  readonly children?: ReactNode;
}

/** Enables or disables weekly hours, and edits their ranges and time zone. */
export function WeekHoursFields<Hours extends WeekHours>(props: WeekHoursFieldsProps<Hours>) {
  const { title, toggle, path, value, initial, error, onChange, children } = props;
  const { first = night } = props;
  const start = () => ({ ...initial, timeZone: ownZone, ranges: [first] }) as Hours;
  const change = (part: Partial<WeekHours>) => value && onChange({ ...value, ...part });
  return (
    <FormSection title={title}>
      <Switch
        label={toggle}
        checked={value !== null}
        onChange={({ currentTarget }) => onChange(currentTarget.checked ? start() : null)}
      />
      {value !== null && (
        <>
          <Stack as="ul" gap={4}>
            {[...value.ranges.entries()].map(([place, range]) => (
              <RangeFields
                key={place}
                path={`${path}.ranges.${place}`}
                range={range}
                place={place}
                error={error}
                onChange={(part) =>
                  change({ ranges: value.ranges.with(place, { ...range, ...part }) })
                }
                onRemove={
                  value.ranges.length === 1
                    ? undefined
                    : () => change({ ranges: value.ranges.toSpliced(place, 1) })
                }
              />
            ))}
          </Stack>
          <Row>
            <Button
              variant="default"
              disabled={value.ranges.length >= maxRanges}
              onClick={() => change({ ranges: [...value.ranges, first] })}
            >
              {own.add}
            </Button>
          </Row>
          <ZoneSelect
            label={own.timeZone}
            value={value.timeZone}
            error={getFieldError(error, `${path}.timeZone`)}
            onChange={(timeZone) => timeZone && change({ timeZone })}
          />
          {children}
        </>
      )}
    </FormSection>
  );
}

interface QuietHoursFieldsProps {
  readonly value: QuietHours | null;
  readonly channelId: number | undefined;
  readonly error: unknown;
  readonly onChange: (value: QuietHours | null) => void;
}

/** Edits when alerts to a channel are delayed or redirected to another channel. */
export function QuietHoursFields({ value, channelId, error, onChange }: QuietHoursFieldsProps) {
  return (
    <WeekHoursFields<QuietHours>
      title={own.title}
      toggle={own.on}
      path="quietHours"
      initial={{ mode: "HOLD", alertChannelId: null }}
      value={value}
      error={error}
      onChange={onChange}
    >
      {value !== null && (
        <ModeFields
          quietHours={value}
          channelId={channelId}
          error={error}
          onChange={(part) => onChange({ ...value, ...part })}
        />
      )}
    </WeekHoursFields>
  );
}
