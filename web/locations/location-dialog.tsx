import { Button, Modal, TextInput } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { api, type Schemas, send } from "../api/client.ts";
import { renewQueries } from "../api/renew-queries.ts";
import { getFieldError, getFormError, OwnerNotice } from "../editing/index.ts";
import { ErrorPanel } from "../parts/error-panel.tsx";
import { Row, Stack } from "../parts/layout.tsx";
import { showNotice } from "../parts/notices.tsx";
import { FirstSteps } from "./add-probe.tsx";
import { suggestSlug } from "./commands.ts";
import type { PrivateLocation } from "./queries.ts";
import { words } from "./words.ts";

const own = words.own;

interface Draft {
  readonly name: string;
  readonly slugName: string;
}

interface FieldsProps {
  readonly draft: Draft;
  readonly error: Error | null;
  readonly isBusy: boolean;
  readonly action: string;
  readonly slugHint: string;
  readonly onChange: (draft: Draft) => void;
  readonly onSubmit: () => void;
}

function LocationFields(props: FieldsProps) {
  const { draft, error, isBusy, action, slugHint, onChange, onSubmit } = props;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSubmit();
  };
  const beside = getFormError(error, ["name", "slugName"]);
  return (
    <Stack as="form" gap={4} onSubmit={submit}>
      <TextInput
        label={own.name}
        description={own.nameHint}
        required
        maxLength={255}
        data-autofocus
        value={draft.name}
        error={getFieldError(error, "name")}
        onChange={({ currentTarget: { value } }) => {
          const isSuggested = draft.slugName === suggestSlug(draft.name);
          onChange({ name: value, slugName: isSuggested ? suggestSlug(value) : draft.slugName });
        }}
      />
      <TextInput
        label={own.slug}
        description={slugHint}
        required
        maxLength={30}
        spellCheck={false}
        value={draft.slugName}
        error={getFieldError(error, "slugName")}
        onChange={({ currentTarget: { value } }) => onChange({ ...draft, slugName: value })}
      />
      {beside && <ErrorPanel error={beside} />}
      <Row gap={3} justify="end">
        <Button type="submit" loading={isBusy}>
          {action}
        </Button>
      </Row>
    </Stack>
  );
}

type Created = Schemas["CreatedPrivateLocation"];

interface NewLocationProps {
  /**
   * Initial slug of the new location. Set if the location is created for checks that already use
   * this slug.
   */
  readonly slugName?: string;
  readonly onClose: () => void;
}

/** Creates a location, then shows its first key, which cannot be shown again. */
export function NewLocationDialog({ slugName = "", onClose }: NewLocationProps) {
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const [draft, setDraft] = useState<Draft>({ name: slugName, slugName });
  const [created, setCreated] = useState<Created | null>(null);
  const creating = useMutation({
    mutationFn: () => {
      const { name, slugName: slug } = draft;
      return send(
        api.POST("/v1/private-locations", { body: { name: name.trim(), slugName: slug.trim() } }),
      );
    },
    onSuccess: async (location) => {
      setCreated(location);
      await renewQueries(queryClient, ["private-locations"]);
      // The name of the server's place depends on whether there is another one.
      void renewQueries(queryClient, ["locations"]);
    },
  });
  const [key] = created?.keys ?? [];
  const finish = () => {
    onClose();
    void navigate({ to: "/locations/$region", params: { region: created?.slugName ?? "" } });
  };
  return (
    <Modal
      opened
      size="lg"
      onClose={created === null ? onClose : finish}
      title={created === null ? own.create : words.add.title}
      closeButtonProps={{ "aria-label": "Close" }}
      closeOnClickOutside={created === null}
      closeOnEscape={created === null}
    >
      {created === null || key === undefined ? (
        <LocationFields
          draft={draft}
          error={creating.error}
          isBusy={creating.isPending}
          action={own.createIt}
          slugHint={own.slugHint}
          onChange={setDraft}
          onSubmit={() => creating.mutate()}
        />
      ) : (
        <FirstSteps locationId={created.id} created={key} onDone={finish} />
      )}
    </Modal>
  );
}

interface RenameProps {
  readonly location: PrivateLocation;
  readonly onClose: () => void;
}

export function RenameDialog({ location: { id, name, slugName }, onClose }: RenameProps) {
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const [draft, setDraft] = useState<Draft>({ name, slugName });
  const saving = useMutation({
    mutationFn: () =>
      send(
        api.PUT("/v1/private-locations/{id}", {
          params: { path: { id } },
          body: { name: draft.name.trim(), slugName: draft.slugName.trim() },
        }),
      ),
    onSuccess: async (saved) => {
      await renewQueries(queryClient, ["private-locations"]);
      onClose();
      showNotice({ text: own.saved });
      if (saved.slugName !== slugName) {
        const params = { region: saved.slugName };
        await navigate({ to: "/locations/$region", params, replace: true });
      }
    },
  });
  return (
    <Modal opened onClose={onClose} title={own.rename} closeButtonProps={{ "aria-label": "Close" }}>
      <OwnerNotice owned={{ type: "private-location", id }} />
      <LocationFields
        draft={draft}
        error={saving.error}
        isBusy={saving.isPending}
        action={own.save}
        slugHint={`${own.slugHint} ${own.slugRenames}`}
        onChange={setDraft}
        onSubmit={() => saving.mutate()}
      />
    </Modal>
  );
}
