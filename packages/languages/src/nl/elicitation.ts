import type { ELICITATION_MESSAGES, Translation } from 'nest-oauth2/pages';

export const elicitation: Translation<typeof ELICITATION_MESSAGES> = {
  elicitationTitle: 'Een verzoek bevestigen',
  elicitationFrom: '{client} vraagt u te bevestigen:',
  elicitationConfirm: 'Bevestigen',
  elicitationDone: 'Bevestigd. U kunt deze pagina sluiten en teruggaan naar {client}.',
  elicitationExpired: 'Dit verzoek is verlopen of al beantwoord. Ga terug naar de app en probeer het opnieuw.',
  elicitationOtherUser: 'Dit verzoek is van een andere gebruiker. Alleen die gebruiker kan deze pagina openen.',
  elicitationSwitch: 'Een ander account gebruiken',
};
