/** Injection token of the model. */
export const OAUTH2_MODEL = Symbol('OAUTH2_MODEL');

/** Injection token of the options, as the host gave them. */
export const OAUTH2_OPTIONS = Symbol('OAUTH2_OPTIONS');

/** Injection token of the interaction; undefined in a host without one. */
export const OAUTH2_INTERACTION = Symbol('OAUTH2_INTERACTION');

/** Injection token of what one import of the module was registered with. @internal */
export const OAUTH2_REGISTRATION = Symbol('OAUTH2_REGISTRATION');

/** Injection token of where one import has its endpoints: their whole paths by id, once the routes are made. @internal */
export const OAUTH2_ROUTES = Symbol('OAUTH2_ROUTES');
