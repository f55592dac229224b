import type { MakeModel, TestSubject } from '../../lib/kit/index.js';

/** Returns the store of a proof as the contract kit tests it: a model, alone or with fixtures. */
export const subjectOf = (made: Awaited<ReturnType<MakeModel>>): TestSubject =>
  'saveToken' in made ? { model: made } : (made as TestSubject);
