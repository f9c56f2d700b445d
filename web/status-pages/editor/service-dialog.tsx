import { Button, Modal, TextInput } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api, send, sendFull } from "../../api/client.ts";
import { useDeletion } from "../../api/use-deletion.ts";
import { ifMatch } from "../../editing/index.ts";
import { CheckPicker, useChosenChecks } from "../../parts/check-picker.tsx";
import { ConfirmDialog } from "../../parts/confirm-dialog.tsx";
import { ErrorPanel } from "../../parts/error-panel.tsx";
import { getFieldError, getFormError } from "../../parts/field-error.ts";
import { Skeleton } from "../../parts/loading.tsx";
import { showNotice } from "../../parts/notices.tsx";
import { parseTags } from "../../parts/tags.ts";
import { TagsField } from "../../parts/tags-field.tsx";
import styles from "./cards.module.css";
import type { Service } from "./services.ts";
import { words } from "./words.ts";

interface StoredService {
  readonly service: Service;
  readonly etag: string | null;
}

interface ServiceFormProps {
  readonly stored: StoredService;
  readonly onClose: () => void;
  readonly onDeleted: () => void;
}

function useSaveService({ service, etag }: StoredService, onDone: () => void) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: { name: string; follows: { checkIds: string[]; tags: string[] } }) =>
      send(
        api.PUT("/v1/status-pages/services/{serviceId}", {
          params: { path: { serviceId: service.id }, header: ifMatch(etag) },
          body,
        }),
      ),
    onSuccess: async (saved) => {
      showNotice({ text: words.savedService(saved.name) });
      onDone();
      await client.invalidateQueries({ queryKey: ["services"] });
      void client.invalidateQueries({ queryKey: ["status-pages", "overviews"] });
    },
  });
}

function DeleteService({ service, onGone }: { readonly service: Service; onGone: () => void }) {
  const [isConfirming, setConfirming] = useState(false);
  const remove = useDeletion({
    of: [["services", service.id]],
    send: () => {
      const params = { path: { serviceId: service.id } };
      return send(api.DELETE("/v1/status-pages/services/{serviceId}", { params }));
    },
    leave: () => {
      setConfirming(false);
      onGone();
      showNotice({ text: words.deletedService(service.name) });
    },
    renew: [["services"], ["status-pages"]],
    onError: (error) => showNotice({ text: error.message, tone: "bad" }),
  });
  return (
    <>
      <Button variant="outline" color="red" onClick={() => setConfirming(true)}>
        {words.deleteService}
      </Button>
      <ConfirmDialog
        isOpen={isConfirming}
        title={words.deleteServiceTitle(service.name)}
        action={words.deleteService}
        isBusy={remove.isPending}
        onConfirm={() => remove.mutate()}
        onCancel={() => setConfirming(false)}
      >
        <p>{words.deleteServiceText}</p>
      </ConfirmDialog>
    </>
  );
}

function ServiceForm({ stored, onClose, onDeleted }: ServiceFormProps) {
  const { service } = stored;
  const [name, setName] = useState(service.name);
  const [checkIds, setCheckIds] = useState<readonly string[]>(service.follows.checkIds);
  const checks = useChosenChecks(checkIds);
  const [tags, setTags] = useState(service.follows.tags.join(", "));
  const save = useSaveService(stored, onClose);
  const other = getFormError(save.error, ["name", "follows.checkIds", "follows.tags"]);
  const submit = () => {
    const follows = { checkIds: [...checkIds], tags: parseTags(tags) };
    save.mutate({ name: name.trim(), follows });
  };
  return (
    <form
      className={styles.dialog}
      onSubmit={(event) => {
        event.preventDefault();
        // React events bubble from the dialog to the outer form, which must not be submitted too.
        event.stopPropagation();
        if (!save.isPending) submit();
      }}
    >
      <p className={styles.hint}>{words.sharedService}</p>
      <TextInput
        label={words.serviceName}
        value={name}
        maxLength={255}
        required
        error={getFieldError(save.error, "name")}
        onChange={({ currentTarget }) => setName(currentTarget.value)}
      />
      <CheckPicker
        label={words.followChecks}
        hint={words.followHint}
        chosen={checks}
        fault={getFieldError(save.error, "follows.checkIds")}
        formatRemoveLabel={words.unfollow}
        onChange={(chosen) => setCheckIds(chosen.map(({ id }) => id))}
      />
      <TagsField
        label={words.followTags}
        description={words.followTagsHint}
        value={tags}
        error={getFieldError(save.error, "follows.tags")}
        onChange={setTags}
      />
      {other && <ErrorPanel error={other} title={words.serviceNotSaved} />}
      <div className={styles.ends}>
        <Button type="submit" loading={save.isPending}>
          {words.saveService}
        </Button>
        <Button variant="default" onClick={onClose}>
          {words.cancel}
        </Button>
        <DeleteService service={service} onGone={onDeleted} />
      </div>
    </form>
  );
}

interface ServiceDialogProps {
  readonly service: Service;
  readonly onClose: () => void;
  readonly onDeleted: () => void;
}

/** Edits a service. It is shared by several pages, so it is saved separately from the page. */
export function ServiceDialog({ service, onClose, onDeleted }: ServiceDialogProps) {
  const { data, error } = useQuery({
    queryKey: ["editor", "service", service.id],
    queryFn: async ({ signal }): Promise<StoredService> => {
      const params = { path: { serviceId: service.id } };
      const answer = await sendFull(
        api.GET("/v1/status-pages/services/{serviceId}", { params, signal }),
      );
      return { service: answer.data, etag: answer.etag };
    },
    // Not re-fetched while editing; a conflict is detected on save.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  return (
    <Modal
      opened
      onClose={onClose}
      size="lg"
      title={words.editService(service.name)}
      closeButtonProps={{ "aria-label": words.close }}
    >
      {error && <ErrorPanel error={error} />}
      {data === undefined && !error && <Skeleton rows={4} />}
      {data && (
        <ServiceForm key={data.etag} stored={data} onClose={onClose} onDeleted={onDeleted} />
      )}
    </Modal>
  );
}
