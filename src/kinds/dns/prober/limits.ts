/** Maximum number of messages that answer other queries; after that the query fails. */
export const maxIgnoredAnswers = 1_000;
