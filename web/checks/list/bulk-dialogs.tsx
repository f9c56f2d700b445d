import { Button, Checkbox, Modal, NativeSelect } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import {
  channelsQuery,
  MuteDialog,
  nameChannel,
  nameChannelKind as nameKind,
} from "../../alerts/index.ts";
import { groupsQuery } from "../../groups/index.ts";
import { checkKindsQuery } from "../../kinds/queries.ts";
import { locationsQuery, privateNamesQuery, sortLocations } from "../../locations/index.ts";
import buttonStyles from "../../parts/buttons.module.css";
import { Row, Stack } from "../../parts/layout.tsx";
import { TagsField } from "../../parts/tags-field.tsx";
import { listFrequencies } from "../editor/frequency.ts";
import { type BulkRequest, type BulkTarget, listMuteTargets } from "./bulk.ts";
import { words } from "./words.ts";

export type Change = Omit<BulkRequest, "target">;

interface DialogProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly onChange: (change: Change) => void;
}

export function TagDialog(props: DialogProps) {
  const { isOpen, onClose, onChange } = props;
  const [text, setText] = useState("");
  const tags = [...new Set(text.split(",").map((tag) => tag.trim()))].filter((tag) => tag !== "");
  const change = (action: "addTags" | "removeTags") => {
    onChange({ action, tags });
    setText("");
    onClose();
  };
  return (
    <Modal
      opened={isOpen}
      onClose={onClose}
      title={words.tag}
      closeButtonProps={{ "aria-label": words.cancel }}
    >
      <Stack
        as="form"
        onSubmit={(event) => {
          event.preventDefault();
          if (tags.length > 0) change("addTags");
        }}
      >
        <TagsField
          label={words.tagsField}
          value={text}
          onChange={setText}
          maxLength={2_000}
          data-autofocus
        />
        <Row nowrap justify="end">
          <Button
            variant="default"
            disabled={tags.length === 0}
            onClick={() => change("removeTags")}
          >
            {words.removeTags}
          </Button>
          <Button type="submit" disabled={tags.length === 0}>
            {words.addTags}
          </Button>
        </Row>
      </Stack>
    </Modal>
  );
}

export function MoveDialog(props: DialogProps) {
  const { isOpen, onClose, onChange } = props;
  const { data: groups = [] } = useQuery({ ...groupsQuery, enabled: isOpen });
  const move = (groupId: number | null) => {
    onChange({ action: "move", groupId });
    onClose();
  };
  return (
    <Modal
      opened={isOpen}
      onClose={onClose}
      title={words.moveTo}
      closeButtonProps={{ "aria-label": words.cancel }}
    >
      <Stack as="ul" gap={1}>
        {groups.map(({ id, name }) => (
          <li key={id}>
            <button type="button" className={buttonStyles.option} onClick={() => move(id)}>
              <bdi>{name}</bdi>
            </button>
          </li>
        ))}
        <li>
          <button type="button" className={buttonStyles.option} onClick={() => move(null)}>
            {words.noGroup}
          </button>
        </li>
      </Stack>
    </Modal>
  );
}

interface FrameProps {
  readonly isOpen: boolean;
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

function Frame({ isOpen, title, onClose, children }: FrameProps) {
  return (
    <Modal
      opened={isOpen}
      onClose={onClose}
      title={title}
      closeButtonProps={{ "aria-label": words.cancel }}
    >
      <Stack>{children}</Stack>
    </Modal>
  );
}

function useChosen<Item>() {
  const [chosen, setChosen] = useState<readonly Item[]>([]);
  const toggle = (item: Item) =>
    setChosen(chosen.includes(item) ? chosen.filter((one) => one !== item) : [...chosen, item]);
  return { chosen, toggle, clear: () => setChosen([]) };
}

/**
 * Connects the checks to the selected channels or disconnects them. Connections to other channels
 * do not change.
 */
export function ChannelsDialog({ isOpen, onClose, onChange }: DialogProps) {
  const { data: channels } = useQuery({ ...channelsQuery, enabled: isOpen });
  const { chosen, toggle, clear } = useChosen<number>();
  const change = (action: "addChannels" | "removeChannels") => {
    onChange({ action, alertChannelIds: [...chosen] });
    clear();
    onClose();
  };
  return (
    <Frame isOpen={isOpen} title={words.channels} onClose={onClose}>
      {channels?.length === 0 && <p>{words.noChannels}</p>}
      {channels?.map((channel) => (
        <Checkbox
          key={channel.id}
          label={nameChannel(channel) || nameKind(channel.type)}
          description={nameKind(channel.type)}
          checked={chosen.includes(channel.id)}
          onChange={() => toggle(channel.id)}
        />
      ))}
      <Row nowrap justify="end">
        <Button
          variant="default"
          disabled={chosen.length === 0}
          onClick={() => change("removeChannels")}
        >
          {words.removeChannels}
        </Button>
        <Button disabled={chosen.length === 0} onClick={() => change("addChannels")}>
          {words.addChannels}
        </Button>
      </Row>
    </Frame>
  );
}

/** Returns the API fields of an interval. Intervals below a minute use `frequencyOffset`. */
function toSchedule(seconds: number): Pick<Change, "frequency" | "frequencyOffset"> {
  return seconds < 60
    ? { frequency: 0, frequencyOffset: seconds }
    : { frequency: (seconds / 60) as NonNullable<Change["frequency"]> };
}

export function FrequencyDialog({ isOpen, onClose, onChange }: DialogProps) {
  const [seconds, setSeconds] = useState("60");
  const { data: kinds = [] } = useQuery({ ...checkKindsQuery, enabled: isOpen });
  // The dialog offers the intervals of the first check type with scheduled runs. All check types
  // with scheduled runs allow the same intervals.
  const scheduled = kinds.find(({ intervalSeconds }) => intervalSeconds.length > 0);
  return (
    <Frame isOpen={isOpen} title={words.frequency} onClose={onClose}>
      <NativeSelect
        label={words.frequency}
        data={listFrequencies(scheduled?.intervalSeconds ?? [])}
        value={seconds}
        onChange={({ currentTarget }) => setSeconds(currentTarget.value)}
      />
      <Row nowrap justify="end">
        <Button
          onClick={() => {
            onChange({ action: "setFrequency", ...toSchedule(Number(seconds)) });
            onClose();
          }}
        >
          {words.setFrequency}
        </Button>
      </Row>
    </Frame>
  );
}

/** Replaces the locations of the checks. */
export function LocationsDialog({ isOpen, onClose, onChange }: DialogProps) {
  const { data: places = [] } = useQuery({ ...locationsQuery, enabled: isOpen });
  const { data: own = [] } = useQuery({ ...privateNamesQuery, enabled: isOpen });
  const regions = useChosen<string>();
  const slugs = useChosen<string>();
  const { served } = sortLocations(places, regions.chosen);
  const change = () => {
    onChange({
      action: "setLocations",
      locations: [...regions.chosen] as NonNullable<Change["locations"]>,
      privateLocations: [...slugs.chosen],
    });
    onClose();
  };
  return (
    <Frame isOpen={isOpen} title={words.locations} onClose={onClose}>
      {served.map(({ region, name }) => (
        <Checkbox
          key={region}
          label={name}
          title={region}
          checked={regions.chosen.includes(region)}
          onChange={() => regions.toggle(region)}
        />
      ))}
      {own.map(({ slugName, name }) => (
        <Checkbox
          key={slugName}
          label={name}
          title={slugName}
          checked={slugs.chosen.includes(slugName)}
          onChange={() => slugs.toggle(slugName)}
        />
      ))}
      <Row nowrap justify="end">
        <Button disabled={regions.chosen.length + slugs.chosen.length === 0} onClick={change}>
          {words.setLocations}
        </Button>
      </Row>
    </Frame>
  );
}

const dialogs = {
  tag: TagDialog,
  move: MoveDialog,
  channels: ChannelsDialog,
  frequency: FrequencyDialog,
  locations: LocationsDialog,
} as const;
type Dialog = keyof typeof dialogs;
export type BulkDialog = Dialog | "muteUntil";

interface BulkDialogsProps {
  readonly opened: BulkDialog | null;
  readonly target: BulkTarget;
  readonly onClose: () => void;
  readonly onChange: (change: Change) => void;
}

/** Renders the dialogs of all bulk actions. At most one dialog is open. */
export function BulkDialogs({ opened, target, onClose, onChange }: BulkDialogsProps) {
  return (
    <>
      <MuteDialog
        isOpen={opened === "muteUntil"}
        title={words.muteUntil}
        listTargets={() => listMuteTargets(target)}
        onClose={onClose}
      />
      {Object.entries(dialogs).map(([name, Shown]) => (
        <Shown key={name} isOpen={opened === name} onClose={onClose} onChange={onChange} />
      ))}
    </>
  );
}
