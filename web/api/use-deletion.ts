import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type Deletion, deleteObject } from "./deletion.ts";

interface DeletionOfScreen extends Deletion {
  readonly onError?: (error: Error) => void;
}

export function useDeletion({ onError, ...deletion }: DeletionOfScreen) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => deleteObject(client, deletion),
    ...(onError && { onError }),
  });
}
