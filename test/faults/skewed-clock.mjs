/** Lets this process believe that it is so much later than it is. Timers go on as they are. */
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
