/** A server that sends so many answers to something else is not listened to any longer. */
export const maxIgnoredAnswers = 1_000;
