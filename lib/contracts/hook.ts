/** The methods of a feature that are asked on the way of a request. */
export type HookOf<Feature> = {
  [M in Exclude<keyof Feature, 'check'>]-?: NonNullable<Feature[M]> extends (...given: never) => unknown ? M : never;
}[Exclude<keyof Feature, 'check'>];
