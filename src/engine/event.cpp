#include "engine/event.h"

#include <mutex>

namespace sanduk {

void EventListeners::add(EventListener listener) { listeners_.push_back(std::move(listener)); }

void EventListeners::operator()(const Event& event) const {
  static std::mutex one_at_a_time;
  const std::lock_guard lock(one_at_a_time);
  for (const EventListener& listener : listeners_) {
    try {
      listener(event);
    } catch (...) {
      // It has lost this event. A display that fails must neither end a run nor keep one from being undone.
    }
  }
}

}  // namespace sanduk
