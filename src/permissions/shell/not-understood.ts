/** Why a line was not understood, in words for whoever is asked. */
export class NotUnderstood extends Error {}
