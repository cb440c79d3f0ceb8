/** Shifts `Date` in this process by `ms`. Timers are not affected. */
export function skewClock(ms) {
  if (ms === 0) return;
  const RealDate = Date;
  globalThis.Date = class extends RealDate {
    constructor(...args) {
      if (args.length === 0) super(RealDate.now() + ms);
      else super(...args);
    }
    static now() {
      return RealDate.now() + ms;
    }
  };
}
