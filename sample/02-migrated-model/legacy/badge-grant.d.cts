import type { GrantTypeClass } from 'nest-oauth2/server' with { 'resolution-mode': 'import' };

declare const BadgeGrantType: GrantTypeClass;
export = BadgeGrantType;
