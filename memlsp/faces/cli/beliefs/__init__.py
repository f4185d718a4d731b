"""beliefs"""
