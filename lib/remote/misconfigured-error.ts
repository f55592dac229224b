/** Something about another server that does not mend itself: the operator is told. */
export class MisconfiguredError extends Error {}
