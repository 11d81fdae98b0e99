import LarderDefaults

print("LarderDefaults builds with swift-log alone.")
